package bugs

import (
	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/steptest"
	"github.com/lockstep-go/lockstep/tasksync"
)

// stringBuffer asks another one, whose methods are each atomic, for its length, and then for so many characters; meanwhile it may have become shorter.
// Mended, it has the other's lock for both.
func stringBuffer(fixed bool) func(*steptest.T) {
	return func(*steptest.T) {
		var mu tasksync.Mutex
		text := []byte("abc")
		var copied []byte
		together(func() {
			if fixed {
				under(&mu, func() { copied = append(copied, text...) })
				return
			}
			n := 0
			under(&mu, func() { n = len(text) })
			under(&mu, func() {
				for i := range n {
					copied = append(copied, text[i])
				}
			})
		}, func() {
			under(&mu, func() { text = text[:0:0] })
		})
	}
}

// pbzip2 throws its queue away, lock and all, when the last block has been taken, which one of those who take may still be about to find out.
// Mended, it waits for them first.
func pbzip2(fixed bool) func(*steptest.T) {
	type fifo struct {
		mu     tasksync.Mutex
		blocks int
	}
	return func(*steptest.T) {
		var queue cell[*fifo]
		var taken cell[int]
		queue.v = &fifo{blocks: 3}
		var all tasksync.WaitGroup
		for range 2 {
			all.Go(func() {
				for {
					q := queue.load()
					some := false
					under(&q.mu, func() {
						if some = q.blocks > 0; some {
							q.blocks--
							taken.v++
						}
					})
					if !some {
						return
					}
				}
			})
		}
		if fixed {
			all.Wait()
		}
		for taken.load() < 3 {
			lockstep.Yield()
		}
		queue.store(nil)
		all.Wait()
	}
}

// aget writes down how far a download has come, when it is interrupted, while its tasks go on. What it writes down, part by part and in all, does not
// fit together. Mended, the counts are read under the lock under which they are changed.
func aget(fixed bool) func(*steptest.T) {
	return func(t *steptest.T) {
		var mu tasksync.Mutex
		var parts [2]cell[int]
		var sum cell[int]
		fetch := func(i int) func() {
			return func() {
				for range 2 {
					under(&mu, func() {
						parts[i].store(parts[i].v + 1)
						sum.store(sum.v + 1)
					})
				}
			}
		}
		together(fetch(0), fetch(1), func() {
			if fixed {
				mu.Lock()
				defer mu.Unlock()
			}
			whole := sum.load()
			if a, b := parts[0].load(), parts[1].load(); a+b != whole {
				t.Errorf("parts %d and %d make %d", a, b, whole)
			}
		})
	}
}

// barrier lets tasks through when the last one has come, whoever then wakes the others. It is used twice; who is late in
// leaving the first round finds the count of the second. Mended, the rounds are counted.
func barrier(fixed bool) func(*steptest.T) {
	return func(*steptest.T) {
		const n = 2
		var mu tasksync.Mutex
		all := tasksync.NewCond(&mu)
		come, round := 0, 0
		wait := func() {
			mu.Lock()
			mine := round
			if come++; come == n {
				come = 0
				round++
				all.Broadcast()
			} else {
				for fixed && round == mine || !fixed && come != 0 {
					all.Wait()
				}
			}
			mu.Unlock()
		}
		twice := func() { wait(); wait() }
		together(twice, twice)
	}
}
