//go:build race && amd64

package steptest_test

import (
	"context"
	"errors"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/chans"
	"github.com/lockstep-go/lockstep/steptest"
	"github.com/lockstep-go/lockstep/tasksync"
)

// racing are bodies with a race. A report fails the process, so each runs in one of its own.
var racing = map[string]struct {
	body func(*steptest.T)
	opts []steptest.Option
}{
	"counter": {body: func(*steptest.T) {
		n := 0
		var wg tasksync.WaitGroup
		for range 2 {
			wg.Go(func() { n++ })
		}
		wg.Wait()
	}},
	"one worker": {body: func(*steptest.T) {
		n := 0
		for range 2 {
			lockstep.Go(func() {
				n++
				lockstep.Yield()
				n++
			})
		}
	}, opts: []steptest.Option{steptest.Workers(1)}},
	"parent": {body: func(*steptest.T) {
		n := 0
		lockstep.Go(func() { n++ })
		n++
	}},
	"other lock": {body: func(*steptest.T) {
		var a, b tasksync.Mutex
		n := 0
		lockstep.Go(func() { a.Lock(); n++; a.Unlock() })
		lockstep.Go(func() { b.Lock(); n++; b.Unlock() })
	}},
	"sleepers": {body: func(t *steptest.T) {
		n := 0
		for range 2 {
			lockstep.Go(func() {
				_ = lockstep.Sleep(t.Context(), time.Second)
				n++
			})
		}
		_ = lockstep.Sleep(t.Context(), time.Minute)
	}},
	// Only where the second task comes first is n touched without the lock.
	"one order": {body: func(*steptest.T) {
		var mu tasksync.Mutex
		n, first := 0, true
		var wg tasksync.WaitGroup
		wg.Go(func() {
			mu.Lock()
			n++
			first = false
			mu.Unlock()
		})
		wg.Go(func() {
			mu.Lock()
			f := first
			mu.Unlock()
			if f {
				n++
			}
		})
		wg.Wait()
	}},
}

// TestRacing is run by the tests below.
func TestRacing(t *testing.T) {
	for name, r := range racing {
		t.Run(name, func(t *testing.T) {
			if !inChild("TestRacing") {
				t.Skip("it fails on purpose")
			}
			steptest.Run(t, r.body, append([]steptest.Option{steptest.Races(true), steptest.NoCorpus()}, r.opts...)...)
		})
	}
}

var printedToken = regexp.MustCompile(`-steptest\.replay=(\S+)`)

func TestRacesAreFoundAndReplayed(t *testing.T) {
	for name := range racing {
		t.Run(name, func(t *testing.T) {
			code, out := child(t, "TestRacing", t.TempDir(), "-test.run=^TestRacing$/^"+strings.ReplaceAll(name, " ", "_")+"$")
			require.Equal(t, 1, code, out)
			require.Contains(t, out, "WARNING: DATA RACE")
			require.Contains(t, out, "steptest: data race in schedule ")
			token := printedToken.FindStringSubmatch(out)
			require.NotNil(t, token, out)
			code, out = child(t, "TestRacing", t.TempDir(), "-test.run=^TestRacing$/^"+strings.ReplaceAll(name, " ", "_")+"$", "-steptest.replay="+token[1])
			require.Equal(t, 1, code, out)
			require.Contains(t, out, "WARNING: DATA RACE")
			require.Contains(t, out, "steptest: data race in the replayed schedule")
		})
	}
}

// ordered are bodies without a race: what orders the accesses is of each kind that the library has.
var ordered = map[string]func(t *steptest.T){
	"Mutex": func(*steptest.T) {
		var mu tasksync.Mutex
		n := 0
		for range 3 {
			lockstep.Go(func() { mu.Lock(); n++; mu.Unlock() })
		}
	},
	"RWMutex": func(*steptest.T) {
		var mu tasksync.RWMutex
		n := 0
		for range 2 {
			lockstep.Go(func() { mu.Lock(); n++; mu.Unlock() })
			lockstep.Go(func() { mu.RLock(); _ = n; mu.RUnlock() })
		}
	},
	"Semaphore": func(t *steptest.T) {
		s := tasksync.NewSemaphore(1)
		n := 0
		for range 3 {
			lockstep.Go(func() {
				if s.Acquire(t.Context(), 1) == nil {
					n++
					s.Release(1)
				}
			})
		}
	},
	"WaitGroup": func(*steptest.T) {
		var wg tasksync.WaitGroup
		var n [3]int
		for i := range n {
			wg.Go(func() { n[i]++ })
		}
		wg.Wait()
		n[0] += n[1] + n[2]
	},
	"Cond": func(*steptest.T) {
		var mu tasksync.Mutex
		c := tasksync.NewCond(&mu)
		ready, n := false, 0
		lockstep.Go(func() {
			mu.Lock()
			n, ready = 1, true
			c.Signal()
			mu.Unlock()
		})
		mu.Lock()
		for !ready {
			c.Wait()
		}
		n++
		mu.Unlock()
	},
	"Once": func(*steptest.T) {
		var once tasksync.Once
		n := 0
		for range 3 {
			lockstep.Go(func() { once.Do(func() { n++ }); _ = n })
		}
	},
	"Chan": func(t *steptest.T) {
		for _, size := range []int{0, 1, 3} {
			ch := chans.New[*int](size)
			lockstep.Go(func() {
				for i := range 3 {
					_ = ch.Send(t.Context(), &i)
				}
				ch.Close()
			})
			for {
				v, err := ch.Receive(t.Context())
				if err != nil {
					break
				}
				*v++
			}
		}
	},
	"spawn and Wait": func(t *steptest.T) {
		n := 1
		h := lockstep.Spawn(t.Context(), func(context.Context) (int, error) { n++; return n, nil })
		v, err := h.Wait(t.Context())
		require.NoError(t, err)
		n += v
	},
	"Group": func(t *steptest.T) {
		var n [3]int
		g, _ := lockstep.NewGroup(t.Context())
		for i := range n {
			g.Go(func() error { n[i]++; lockstep.Yield(); n[i]++; return nil })
		}
		_ = g.Wait()
		n[0] += n[1] + n[2]
	},
	"Sleep and timers": func(t *steptest.T) {
		n := 0
		timer := lockstep.AfterFunc(time.Second, func() { n++ })
		tm := lockstep.NewTimer(time.Second)
		_, _ = tm.Wait(t.Context())
		_ = lockstep.Sleep(t.Context(), time.Second)
		timer.Stop()
		ctx, cancel := lockstep.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var mu tasksync.Mutex
		m := 0
		lockstep.Go(func() {
			_ = lockstep.Sleep(ctx, time.Minute)
			mu.Lock()
			m++
			mu.Unlock()
		})
		_ = lockstep.Sleep(ctx, time.Minute)
		mu.Lock()
		m++
		mu.Unlock()
	},
	"cancel": func(t *steptest.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		n := 0
		lockstep.Go(func() { n++; cancel(errors.New("over")) })
		if lockstep.Sleep(ctx, time.Hour) != nil { // else the hour is over
			n++
		}
	},
	"Close": func(t *steptest.T) {
		p := t.Pool()
		n := 0
		p.Go(func() { n++ })
		require.NoError(t, p.Close())
		n++
	},
	"Var and Atomic": func(*steptest.T) {
		var a steptest.Atomic[int]
		var v steptest.Var[int]
		var mu tasksync.Mutex
		for range 2 {
			lockstep.Go(func() {
				a.Update(func(n int) int { return n + 1 })
				mu.Lock()
				v.Store(v.Load() + 1)
				mu.Unlock()
			})
		}
	},
	"Goexit": func(t *steptest.T) {
		n := 0
		h := lockstep.Spawn(t.Context(), func(context.Context) (int, error) {
			defer func() { n++ }()
			lockstep.Yield()
			runtime.Goexit()
			return 0, nil
		})
		_, _ = h.Wait(t.Context())
		n++
	},
	"panic": func(t *steptest.T) {
		p := t.Pool(lockstep.WithPanicHandler(func(*lockstep.PanicError) {}))
		n := 0
		p.Go(func() { defer func() { n++ }(); panic("x") })
		_ = p.Close()
		n++
	},
	"section": func(*steptest.T) {
		n := 0
		lockstep.BlockInPlace(func() { n++ })
		n++
	},
}

func TestNoRaceIsInvented(t *testing.T) {
	for name, body := range ordered {
		t.Run(name, func(t *testing.T) {
			steptest.Run(t, body, steptest.Races(true), steptest.NoCorpus(), steptest.Schedules(2000), steptest.For(5*time.Second))
			steptest.Run(t, body, steptest.Races(true), steptest.NoCorpus(), steptest.Workers(1), steptest.Schedules(200))
		})
	}
}

// The same schedules are chosen, and the same tokens lead to them, with the detector and without.
func TestRacesChangeNoSchedule(t *testing.T) {
	for name, body := range ordered {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(5) {
				seen := func(on bool) steptest.Result {
					return steptest.Search(t.Name(), func(t *steptest.T) {
						body(t)
						if t.Choose(20) == 19 {
							t.Fatal("here")
						}
					}, steptest.Races(on), steptest.Seed(seed), steptest.Schedules(300))
				}
				require.Equal(t, seen(true).Token, seen(false).Token)
			}
		})
	}
}

func BenchmarkRaceSchedules(b *testing.B) {
	for _, on := range []bool{true, false} {
		b.Run(map[bool]string{true: "seen", false: "blind"}[on], func(b *testing.B) {
			r := steptest.Search(b.Name(), func(*steptest.T) {
				var x, y tasksync.Mutex
				work := func() {
					x.Lock()
					y.Lock()
					y.Unlock()
					x.Unlock()
				}
				lockstep.Go(work)
				lockstep.Go(work)
			}, steptest.Races(on), steptest.Schedules(b.N))
			if r.Failed {
				b.Fatal(r.Text)
			}
			b.ReportMetric(float64(r.Schedules)/b.Elapsed().Seconds(), "schedules/s")
		})
	}
}
