package chans_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/chans"
)

// A value or a place meets a wait that has just ended, whose task has not run since and so is still in the list: it passes that
// one by. On one worker that is sure to happen: the one who ends the wait goes on before it yields.
func TestEndedWaitsArePassedBy(t *testing.T) {
	errEnded := errors.New("ended")
	p := workers(t, 1)
	begin := func(wait func(ctx context.Context) error) *lockstep.Task[int] {
		task := lockstep.Spawn(p.Context(bg), func(ctx context.Context) (int, error) { return 0, wait(ctx) })
		lockstep.Yield() // now it waits
		return task
	}
	end := func(tasks ...*lockstep.Task[int]) {
		for _, task := range tasks {
			task.Cancel(errEnded)
		}
	}
	gone := func(task *lockstep.Task[int]) {
		_, err := task.Wait(bg)
		require.Equal(t, errEnded, err)
	}
	served := func(task *lockstep.Task[int]) {
		_, err := task.Wait(bg)
		require.NoError(t, err)
	}
	for _, capacity := range []int{0, 1, 3, -1} {
		inTask(p, func() {
			c := newChan(capacity)
			receive := func(ctx context.Context) error { _, err := c.Receive(ctx); return err }
			choose := func(ctx context.Context) error { _, err := chans.Select(ctx, chans.Recv(c, nil)); return err }
			first, second := begin(receive), begin(choose)
			end(first, second)
			if err := c.TrySend(1); capacity == 0 {
				require.Equal(t, chans.ErrNotReady, err)
			} else {
				require.NoError(t, err)
				v, err := c.TryReceive()
				require.NoError(t, err)
				require.Equal(t, 1, v)
			}
			gone(first)
			gone(second)
			first, second = begin(receive), begin(receive)
			end(first)
			require.NoError(t, c.TrySend(2))
			served(second)
			gone(first)
			senders, receivers := chans.Waiting(c)
			require.Zero(t, senders+receivers)
			if capacity < 0 {
				return
			}

			for range capacity {
				require.NoError(t, c.TrySend(3))
			}
			send := func(ctx context.Context) error { return c.Send(ctx, 4) }
			choose = func(ctx context.Context) error { _, err := chans.Select(ctx, chans.Send(c, 4, nil)); return err }
			first, second = begin(send), begin(choose)
			third := begin(func(ctx context.Context) error { return c.Send(ctx, 5) })
			end(first, second)
			for range capacity {
				v, err := c.TryReceive()
				require.NoError(t, err)
				require.Equal(t, 3, v)
			}
			v, err := c.TryReceive()
			require.NoError(t, err)
			require.Equal(t, 5, v)
			_, err = c.TryReceive()
			require.Equal(t, chans.ErrNotReady, err)
			served(third)
			gone(first)
			gone(second)
			senders, receivers = chans.Waiting(c)
			require.Zero(t, senders+receivers)
			require.Zero(t, c.Len())

			first = begin(receive)
			end(first)
			c.Close()
			gone(first)
		})
	}
}

// The same channel several times in a select: what comes goes to one of the cases, and the others leave nothing behind.
func TestSelectWithAChannelTwice(t *testing.T) {
	mixes(t, func(t *testing.T, p *lockstep.Pool) {
		c, full := chans.New[int](0), chans.New[int](1)
		require.NoError(t, full.Put(0))
		for n := range 20 {
			got, ends := 0, make(chan int)
			take := func(v int, _ bool) { got += v }
			p.Go(func() {
				i, _ := chans.Select(bg, chans.Recv(c, take), chans.Send(full, 8, nil), chans.Recv(c, take), chans.Send(full, 9, nil))
				ends <- i
			})
			waiting(c, 0, 2)
			waiting(full, 2, 0)
			if n%2 == 0 {
				require.NoError(t, c.TrySend(7))
				require.Contains(t, []int{0, 2}, <-ends)
				require.Equal(t, 7, got)
			} else {
				_, _ = full.Get()
				i := <-ends
				require.Contains(t, []int{1, 3}, i)
				v, _ := full.Get()
				require.Equal(t, 8+i/2, v)
				require.NoError(t, full.Put(0))
			}
			waiting(c, 0, 0)
			waiting(full, 0, 0)
		}
	})
}
