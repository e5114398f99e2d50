package chans_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/chans"
)

func newPool() *lockstep.Pool {
	p, err := lockstep.New(lockstep.WithWorkers(1))
	if err != nil {
		panic(err)
	}
	return p
}

func ExampleChan() {
	p := newPool()
	squares := chans.New[int](4)
	p.Go(func() {
		defer squares.Close()
		for i := range 5 {
			if err := squares.Put(i * i); err != nil { // the task parks when the channel is full
				return
			}
		}
	})
	for v := range squares.All(context.Background()) {
		fmt.Println(v)
	}
	_ = p.Close()
	// Output:
	// 0
	// 1
	// 4
	// 9
	// 16
}

func ExampleChan_Receive() {
	c := chans.New[int](0)
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("nobody will send"))
	_, err := c.Receive(ctx)
	fmt.Println(err)
	c.Close()
	_, err = c.Receive(context.Background())
	fmt.Println(errors.Is(err, chans.ErrClosed))
	// Output:
	// nobody will send
	// true
}

func ExampleUnbounded() {
	c := chans.Unbounded[string]()
	for range 1000 {
		_ = c.Put("never waits")
	}
	fmt.Println(c.Len(), c.Cap())
	// Output: 1000 -1
}

// A request carries the place for its answer.
func ExampleOneshot() {
	type request struct {
		n      int
		answer chans.Oneshot[int]
	}
	p := newPool()
	requests := chans.New[*request](10)
	p.Go(func() {
		for r := range requests.All(context.Background()) {
			if r.n < 0 {
				r.answer.Close() // no answer
			} else {
				r.answer.Send(r.n * 2)
			}
		}
	})
	for _, n := range []int{21, -1} {
		r := &request{n: n}
		_ = requests.Put(r)
		fmt.Println(r.answer.Receive(context.Background()))
	}
	requests.Close()
	_ = p.Close()
	// Output:
	// 42 <nil>
	// 0 lockstep: the channel is closed
}

func ExampleSelect() {
	jobs, results, full := chans.New[int](1), chans.New[string](1), chans.New[int](0)
	_ = results.Put("done")
	i, err := chans.Select(context.Background(),
		chans.Recv(jobs, func(n int, ok bool) { fmt.Println("job", n, ok) }),
		chans.Recv(results, func(s string, ok bool) { fmt.Println("result", s, ok) }),
		chans.Send(full, 7, func() { fmt.Println("sent") }),
		chans.After(time.Hour, func() { fmt.Println("late") }),
	)
	fmt.Println(i, err)
	_, _ = chans.Select(context.Background(),
		chans.Recv(jobs, nil),
		chans.Default(func() { fmt.Println("nothing to do") }),
	)
	// Output:
	// result done true
	// 1 <nil>
	// nothing to do
}

// A task waits for a channel of a package that knows nothing of tasks.
func ExampleReceiveNative() {
	p := newPool()
	native := make(chan string)
	done := make(chan struct{})
	p.Go(func() {
		v, ok, err := chans.ReceiveNative(context.Background(), native) // other tasks run meanwhile
		fmt.Println(v, ok, err)
		close(done)
	})
	native <- "hello"
	<-done
	_ = p.Close()
	// Output: hello true <nil>
}

func ExampleSPSC() {
	p := newPool()
	ring := chans.NewSPSC[int](64)
	p.Go(func() {
		for i := range 1000 {
			if err := ring.Push(context.Background(), i); err != nil {
				return
			}
		}
		ring.Close()
	})
	sum := 0
	for {
		v, err := ring.Pop(context.Background())
		if err != nil {
			break
		}
		sum += v
	}
	fmt.Println(sum)
	_ = p.Close()
	// Output: 499500
}
