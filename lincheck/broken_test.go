package lincheck_test

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/chans"
	"github.com/lockstep-go/lockstep/lincheck"
	"github.com/lockstep-go/lockstep/tasksync"
)

// refused plays rounds until the model has refused one. A check that can't is reported by the test's time limit.
func refused(t *testing.T, m porcupine.Model, clients int, begin func() func(c *lincheck.Client)) {
	t.Helper()
	p, err := lockstep.New(lockstep.WithWorkers(2), lockstep.WithLockOSThread(false))
	require.NoError(t, err)
	defer func() { require.NoError(t, p.Close()) }()
	seed := uint64(1)
	for porcupine.CheckOperations(m, lincheck.Play(p, seed, clients, begin())) {
		seed++
	}
	t.Logf("refused in round %d", seed)
}

// sloppy is a lock that lets somebody in from time to time without asking.
type sloppy struct {
	mu    sync.Mutex
	calls int
	extra map[int]int // how many of each size were let in like that
}

func (s *sloppy) lock(l lock) lock {
	take, give := l.take, l.give
	l.take = func(ctx context.Context, n int) error {
		s.mu.Lock()
		s.calls++
		if s.calls%5 == 0 {
			s.extra[n]++
			s.mu.Unlock()
			return nil
		}
		s.mu.Unlock()
		return take(ctx, n)
	}
	l.give = func(n int) {
		s.mu.Lock()
		extra := s.extra[n] > 0
		if extra {
			s.extra[n]--
		}
		s.mu.Unlock()
		if !extra {
			give(n)
		}
	}
	return l
}

func TestBrokenLocksAreRefused(t *testing.T) {
	refused(t, units(3, false), clients, func() func(c *lincheck.Client) {
		s := tasksync.NewSemaphore(3)
		broken := (&sloppy{extra: map[int]int{}}).lock(lock{
			take: func(ctx context.Context, n int) error { return s.Acquire(ctx, int64(n)) },
			try:  func(n int) bool { return s.TryAcquire(int64(n)) },
			give: func(n int) { s.Release(int64(n)) },
		})
		return func(c *lincheck.Client) { act(c, broken, true, 1, 3, 3) }
	})
}

// spoilt channels do something wrong from time to time.
type spoilt struct {
	*chans.Chan[int]
	calls   int // under mu
	mu      sync.Mutex
	spoil   func(s *spoilt, v int, err error) (int, error) // what a receive returns
	stashed []int
}

func (s *spoilt) receive(v int, err error) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.spoil(s, v, err)
}

func (s *spoilt) Receive(ctx context.Context) (int, error) { return s.receive(s.Chan.Receive(ctx)) }
func (s *spoilt) TryReceive() (int, error)                 { return s.receive(s.Chan.TryReceive()) }

func (s *spoilt) Get() (int, bool) {
	v, err := s.Receive(bg)
	return v, err == nil
}

var spoils = map[string]func(s *spoilt, v int, err error) (int, error){
	"loses a value when the context ends": func(s *spoilt, v int, err error) (int, error) {
		if err == context.Canceled { //nolint:errorlint // the very value
			_, _ = s.Chan.TryReceive()
		}
		return v, err
	},
	"loses a value": func(s *spoilt, v int, err error) (int, error) {
		if s.calls++; s.calls%9 == 0 {
			_, _ = s.Chan.TryReceive()
		}
		return v, err
	},
	"repeats a value": func(s *spoilt, v int, err error) (int, error) {
		if err == nil {
			s.stashed = append(s.stashed, v)
		} else if n := len(s.stashed); n > 0 {
			v, s.stashed = s.stashed[n-1], nil
			return v, nil
		}
		return v, err
	},
	"changes the order": func(s *spoilt, v int, err error) (int, error) {
		if n := len(s.stashed); n > 0 {
			if err == nil {
				s.stashed = append(s.stashed, v)
			}
			v, s.stashed = s.stashed[n-1], slices.Delete(s.stashed, n-1, n)
			return v, nil
		}
		if w, other := s.Chan.TryReceive(); err == nil && other == nil {
			s.stashed = append(s.stashed, v)
			return w, nil
		} else if other == nil {
			return w, nil
		}
		return v, err
	},
	"is closed too early": func(s *spoilt, v int, err error) (int, error) {
		if end(err) == endNotReady {
			return v, chans.ErrClosed
		}
		return v, err
	},
}

func TestBrokenChannelsAreRefused(t *testing.T) {
	for name, spoil := range spoils {
		t.Run(name, func(t *testing.T) {
			refused(t, chanModel(-1), traders, func() func(u *lincheck.Client) {
				return trading(&spoilt{Chan: chans.Unbounded[int](), spoil: spoil})
			})
		})
	}
	t.Run("holds more than its capacity", func(t *testing.T) {
		refused(t, chanModel(4), traders, func() func(u *lincheck.Client) { return trading(chans.New[int](5)) })
	})
	t.Run("has a buffer", func(t *testing.T) {
		refused(t, chanModel(0), traders, func() func(u *lincheck.Client) { return trading(chans.New[int](1)) })
	})
}
