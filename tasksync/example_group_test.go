package tasksync_test

import (
	"context"
	"fmt"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/tasksync"
)

func ExampleWaitGroup() {
	example(func(context.Context) {
		var all tasksync.WaitGroup
		sum := 0 // the tasks of one worker take turns
		for i := range 4 {
			all.Go(func() { lockstep.Yield(); sum += i })
		}
		all.Wait()
		fmt.Println(sum)
	})
	// Output: 6
}

func ExampleOnce() {
	var once tasksync.Once
	example(func(context.Context) {
		var all tasksync.WaitGroup
		for range 3 {
			all.Go(func() {
				once.Do(func() { lockstep.Yield(); fmt.Println("set up") }) // the others park meanwhile
			})
		}
		all.Wait()
	})
	// Output: set up
}
