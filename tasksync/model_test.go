package tasksync_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/lockstep-go/lockstep/tasksync"
)

// step is one step of a script: somebody new asks for n (1 for the reader of a lock, all for a writer), or a holder
// gives back, or somebody who waits gives up.
type step struct {
	kind string
	n    int64 // how much, or which of those
}

// lock is what a script drives.
type lock struct {
	ask  func(ctx context.Context, n int64) error
	try  func(n int64) bool
	give func(n int64)
}

// model is what should happen: a counter and a queue.
type model struct {
	size, used int64
	queue      []asker
	holds      map[int]int64
	phased     bool // as an RWMutex: after a writer all readers, after readers one writer
}

type asker struct {
	id int
	n  int64
}

func (m *model) fits(n int64) bool { return m.used+n <= m.size }

func (m *model) take(a asker) {
	m.used += a.n
	m.holds[a.id] = a.n
}

func (m *model) ask(a asker) {
	if len(m.queue) == 0 && m.fits(a.n) {
		m.take(a)
	} else {
		m.queue = append(m.queue, a)
	}
}

func (m *model) give(id int) {
	n := m.holds[id]
	m.used -= n
	delete(m.holds, id)
	m.serve(n == m.size)
}

func (m *model) cancel(id int) {
	m.queue = slices.DeleteFunc(m.queue, func(a asker) bool { return a.id == id })
	m.serve(false)
}

func (m *model) serve(afterWriter bool) {
	if !m.phased {
		for len(m.queue) > 0 && m.fits(m.queue[0].n) {
			m.take(m.queue[0])
			m.queue = m.queue[1:]
		}
		return
	}
	writer := func(a asker) bool { return a.n == m.size }
	if m.used == m.size {
		return
	}
	if afterWriter || !slices.ContainsFunc(m.queue, writer) {
		for _, a := range m.queue {
			if !writer(a) {
				m.take(a)
			}
		}
		m.queue = slices.DeleteFunc(m.queue, func(a asker) bool { return !writer(a) })
	}
	if i := slices.IndexFunc(m.queue, writer); i >= 0 && m.used == 0 {
		m.take(m.queue[i])
		m.queue = slices.Delete(m.queue, i, i+1)
	}
}

// play runs a script in a bubble, in which Wait says when everything has come to rest, and compares who has
// got what after each step.
func play(t *testing.T, l lock, m *model, script []step, tasks bool) (problem string) {
	m.holds = map[int]int64{}
	synctest.Test(t, func(t *testing.T) {
		start := func(f func()) { go f() }
		if tasks {
			p := mixed(t, 1, true)
			start = p.Go
		}
		got := map[int]int64{}
		cancels := map[int]context.CancelFunc{}
		id := 0
		results := make(chan func(), len(script))
		settle := func() {
			synctest.Wait()
			for len(results) > 0 {
				(<-results)()
			}
		}
		for at, s := range script {
			switch holders := sorted(m.holds); s.kind {
			case "ask":
				id++
				me := asker{id, s.n}
				ctx, cancel := context.WithCancel(bg)
				cancels[me.id] = cancel
				start(func() {
					if l.ask(ctx, me.n) == nil {
						results <- func() { got[me.id] = me.n }
					}
				})
				m.ask(me)
			case "try":
				id++
				ok := l.try(s.n)
				if want := len(m.queue) == 0 && m.fits(s.n); ok != want && problem == "" {
					problem = fmt.Sprintf("step %d: try %v, want %v", at, ok, want)
				}
				if ok {
					got[id] = s.n
					m.take(asker{id, s.n})
				}
			case "give":
				if len(holders) > 0 {
					who := holders[int(s.n)%len(holders)]
					if n, ok := got[who]; ok {
						delete(got, who)
						l.give(n)
					}
					m.give(who)
				}
			case "cancel":
				if len(m.queue) > 0 {
					who := m.queue[int(s.n)%len(m.queue)].id
					cancels[who]()
					m.cancel(who)
				}
			}
			settle()
			if !slices.Equal(sorted(got), sorted(m.holds)) && problem == "" {
				problem = fmt.Sprintf("step %d, %v: %v hold, want %v", at, s, sorted(got), sorted(m.holds))
			}
			if problem != "" {
				break
			}
		}
		for _, cancel := range cancels {
			cancel()
		}
		settle()
		for _, n := range got {
			l.give(n)
		}
		if free := l.try(m.size); !free && problem == "" {
			problem = "not free at the end"
		}
	})
	return problem
}

func sorted(m map[int]int64) []int {
	ids := []int{}
	for id := range m {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

func drawScript(rt *rapid.T, size int64, amount *rapid.Generator[int64]) []step {
	return rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) step {
		s := step{kind: rapid.SampledFrom([]string{"ask", "ask", "ask", "try", "give", "give", "cancel"}).Draw(rt, "kind")}
		if s.kind == "ask" || s.kind == "try" {
			s.n = amount.Draw(rt, "n")
		} else {
			s.n = rapid.Int64Range(0, 100).Draw(rt, "which")
		}
		return s
	}), 1, 40).Draw(rt, "script")
}

func TestMutexModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var m tasksync.Mutex
		l := lock{
			ask:  func(ctx context.Context, _ int64) error { return m.LockContext(ctx) },
			try:  func(int64) bool { return m.TryLock() },
			give: func(int64) { m.Unlock() },
		}
		script := drawScript(rt, 1, rapid.Just[int64](1))
		require.Empty(rt, play(t, l, &model{size: 1}, script, rapid.Bool().Draw(rt, "tasks")))
	})
}

func TestSemaphoreModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		const size = 5
		s := tasksync.NewSemaphore(size)
		script := drawScript(rt, size, rapid.Int64Range(0, size))
		require.Empty(rt, play(t, lock{s.Acquire, s.TryAcquire, s.Release}, &model{size: size}, script, rapid.Bool().Draw(rt, "tasks")))
	})
}

func TestRWMutexModel(t *testing.T) {
	const most = 1000 // readers
	rapid.Check(t, func(rt *rapid.T) {
		var rw tasksync.RWMutex
		l := lock{
			ask: func(ctx context.Context, n int64) error {
				if n == most {
					return rw.LockContext(ctx)
				}
				return rw.RLockContext(ctx)
			},
			try: func(n int64) bool {
				if n == most {
					return rw.TryLock()
				}
				return rw.TryRLock()
			},
			give: func(n int64) {
				if n == most {
					rw.Unlock()
				} else {
					rw.RUnlock()
				}
			},
		}
		script := drawScript(rt, most, rapid.SampledFrom([]int64{1, 1, most}))
		require.Empty(rt, play(t, l, &model{size: most, phased: true}, script, rapid.Bool().Draw(rt, "tasks")))
	})
}
