package lockstep_test

import (
	"context"
	"fmt"
	"time"

	"github.com/lockstep-go/lockstep"
)

// Two queues share one worker at 10:1 while both have work.
func Example_queues() {
	p, err := lockstep.New(
		lockstep.WithWorkers(1),
		lockstep.WithTaskQueue("requests", lockstep.WithShares(1000), lockstep.WithLatency(200*time.Microsecond)),
		lockstep.WithTaskQueue("indexing", lockstep.WithShares(100)),
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	requests, indexing := p.TaskQueue("requests"), p.TaskQueue("indexing")

	done := make(chan int)
	indexing.Go(func() {
		n := 0
		for range 1_000_000 {
			n++ // a block of work
			lockstep.YieldIfNeeded()
		}
		done <- n
	})
	err = requests.Run(context.Background(), func(context.Context) error {
		fmt.Println("served") // does not wait for the index
		return nil
	})
	fmt.Println(err, <-done)
	_ = p.Close()
	// Output:
	// served
	// <nil> 1000000
}

func ExampleTaskQueue_Context() {
	p, err := lockstep.New(lockstep.WithTaskQueue("indexing", lockstep.WithShares(10)))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer p.Close()
	ctx := p.TaskQueue("indexing").Context(context.Background())
	for range 3 {
		_, _ = lockstep.Spawn(ctx, func(context.Context) (int, error) { return 0, nil }).Wait(ctx)
	}
	fmt.Println(p.TaskQueue("indexing").Stats().Started)
	// Output: 3
}

func ExampleNew_problems() {
	_, err := lockstep.New(
		lockstep.WithWorkers(-1),
		lockstep.WithTaskQueue("requests", lockstep.WithShares(0)),
		lockstep.WithTaskQueue("requests"),
	)
	fmt.Println(err)
	// Output:
	// lockstep: WithWorkers(-1) is not between 1 and 4096
	// lockstep: WithTaskQueue("requests"): WithShares(0) is not between 1 and 1048576
	// lockstep: WithTaskQueue: queue "requests" is declared twice
}
