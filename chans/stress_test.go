package chans_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/chans"
)

// seeded returns a source of random numbers, and prints its seed if the test fails.
func seeded(t *testing.T) *rand.Rand {
	seed := rand.Uint64()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("seed %d", seed)
		}
	})
	return rand.New(rand.NewPCG(seed, 0))
}

// again runs f once, or for as long as LOCKSTEP_STRESS says.
func again(t *testing.T, f func()) {
	d, err := time.ParseDuration(os.Getenv("LOCKSTEP_STRESS"))
	if err != nil {
		f()
		return
	}
	for begin := time.Now(); time.Since(begin) < d; {
		f()
	}
}

// crowd runs its functions as tasks and goroutines in turn.
type crowd struct {
	p  *lockstep.Pool
	n  int
	wg sync.WaitGroup
}

func (c *crowd) add(f func()) {
	c.wg.Add(1)
	run := func() { defer c.wg.Done(); f() }
	if c.n++; c.n%3 == 0 {
		go run()
	} else {
		c.p.Go(run)
	}
}

// sent is a value with its sender, and its number among those.
type sent struct{ from, n int }

// Senders and receivers of every kind, some of whose contexts end while they wait, and a
// Close in the middle: each value is received once if its Send returned nil, and not at all
// otherwise; and those of one sender in order.
func TestStressNothingIsLost(t *testing.T) {
	random := seeded(t)
	mixes(t, func(t *testing.T, p *lockstep.Pool) {
		again(t, func() {
			for _, capacity := range kinds {
				for _, closing := range []bool{false, true} {
					lossless(t, p, capacity, closing, random)
				}
			}
		})
	})
}

func lossless(t *testing.T, p *lockstep.Pool, capacity int, closing bool, random *rand.Rand) {
	c := chans.Unbounded[sent]()
	if capacity >= 0 {
		c = chans.New[sent](capacity)
	}
	const each, senders, receivers = 100, 5, 4
	var mu sync.Mutex
	accepted := map[sent]bool{}
	received := map[sent]int{}
	var unordered []sent
	everyone, sending := &crowd{p: p}, &crowd{p: p}
	for i := range senders {
		patience := random.IntN(3)
		sending.add(func() {
			for n := range each {
				v := sent{i, n}
				var err error
				switch patience {
				case 0:
					err = c.Put(v)
				case 1:
					ctx, cancel := context.WithCancel(bg)
					end := time.AfterFunc(time.Duration(n%7)*5*time.Microsecond, cancel)
					err = c.Send(ctx, v)
					end.Stop()
					cancel()
				case 2:
					var i int
					i, err = chans.Select(bg, chans.Send(c, v, nil), chans.After(time.Duration(n%5)*10*time.Microsecond, nil))
					if i == 1 {
						err = errLate
					}
				}
				mu.Lock()
				accepted[v] = err == nil
				mu.Unlock()
				if n%16 == 0 {
					lockstep.Yield()
				}
			}
		})
	}
	for i := range receivers {
		everyone.add(func() {
			last := map[int]int{}
			for k := 0; ; k++ {
				var v sent
				var err error
				ctx, cancel := context.WithCancel(bg)
				if i%2 == 0 {
					end := time.AfterFunc(time.Duration(k%5)*5*time.Microsecond, cancel)
					v, err = c.Receive(ctx)
					end.Stop()
				} else {
					var ok bool
					if v, ok = c.Get(); !ok {
						err = chans.ErrClosed
					}
				}
				cancel()
				if errors.Is(err, chans.ErrClosed) {
					return
				}
				if err != nil {
					continue
				}
				mu.Lock()
				received[v]++
				if n, ok := last[v.from]; ok && n >= v.n {
					unordered = append(unordered, v)
				}
				last[v.from] = v.n
				mu.Unlock()
			}
		})
	}
	if closing {
		until(func() bool { mu.Lock(); defer mu.Unlock(); return len(received) > each })
		c.Close()
	}
	sending.wg.Wait()
	if !closing {
		c.Close()
	}
	everyone.wg.Wait()
	require.Empty(t, unordered)
	for v, ok := range accepted {
		if n := received[v]; ok && n != 1 || !ok && n != 0 {
			t.Fatalf("capacity %d, closing %v: %v accepted %v, received %d times", capacity, closing, v, ok, n)
		}
	}
	require.Len(t, accepted, each*senders)
}

var errLate = errors.New("late")

// A ring of channels in which every value goes round: lost wakes would stop it.
func TestStressRingOfChannels(t *testing.T) {
	mixes(t, func(t *testing.T, p *lockstep.Pool) {
		again(t, func() {
			for _, capacity := range []int{0, 1, 2} {
				const members, rounds = 8, 300
				cs := make([]*chans.Chan[int], members)
				for i := range cs {
					cs[i] = chans.New[int](capacity)
				}
				all, ended := &crowd{p: p}, make(chan struct{}, 3)
				for i := range members {
					all.add(func() {
						for v, ok := cs[i].Get(); ok; v, ok = cs[i].Get() {
							if v == 0 {
								ended <- struct{}{}
							} else if cs[(i+1)%members].Put(v-1) != nil {
								panic("closed while a value goes round")
							}
						}
					})
				}
				for i := range 3 {
					require.NoError(t, cs[0].Put(members*rounds+i*members))
				}
				for range 3 {
					<-ended
				}
				for _, c := range cs {
					c.Close()
				}
				all.wg.Wait()
			}
		})
	})
}

// Several select from several channels that are fed by several; each value arrives once.
func TestStressSelect(t *testing.T) {
	random := seeded(t)
	mixes(t, func(t *testing.T, p *lockstep.Pool) {
		again(t, func() {
			for _, capacity := range []int{0, 1, 4, -1} {
				selecting(t, p, capacity, random.Uint64())
			}
		})
	})
}

func selecting(t *testing.T, p *lockstep.Pool, capacity int, seed uint64) {
	const width, each, senders, receivers = 3, 200, 4, 3
	cs := make([]*chans.Chan[int], width)
	for i := range cs {
		cs[i] = newChan(capacity)
	}
	var mu sync.Mutex
	var got []int
	sending, receiving := &crowd{p: p}, &crowd{p: p}
	for i := range senders {
		sending.add(func() {
			random := rand.New(rand.NewPCG(seed, uint64(i)))
			for n := range each {
				v := i*each + n
				switch random.IntN(3) {
				case 0:
					_ = cs[random.IntN(width)].Put(v)
				default:
					_, _ = chans.Select(bg, chans.Send(cs[0], v, nil), chans.Send(cs[1], v, nil), chans.Send(cs[2], v, nil))
				}
			}
		})
	}
	ctx, stop := context.WithCancel(bg)
	for i := range receivers {
		receiving.add(func() {
			take := func(v int, ok bool) {
				if ok {
					mu.Lock()
					got = append(got, v)
					mu.Unlock()
				}
			}
			cases := []chans.Case{chans.Recv(cs[i%width], take), chans.Recv(cs[(i+1)%width], take), chans.Recv(cs[(i+2)%width], take)}
			for {
				if _, err := chans.Select(ctx, cases...); err != nil {
					return
				}
			}
		})
	}
	sending.wg.Wait()
	until(func() bool { mu.Lock(); defer mu.Unlock(); return len(got) == senders*each })
	stop()
	receiving.wg.Wait()
	slices.Sort(got)
	for i, v := range got {
		require.Equal(t, i, v)
	}
	for _, c := range cs {
		s, r := chans.Waiting(c)
		require.Zero(t, s+r, "left in a list")
	}
}
