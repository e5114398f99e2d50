package tasksync_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/tasksync"
)

// example runs f as a task of a pool with one worker.
func example(f func(ctx context.Context)) {
	p, err := lockstep.New(lockstep.WithWorkers(1))
	if err != nil {
		panic(err)
	}
	_ = p.Run(context.Background(), func(ctx context.Context) error { f(ctx); return nil })
	_ = p.Close()
}

// A lock may be held over a yield: whoever wants it parks.
func ExampleMutex() {
	example(func(context.Context) {
		var mu tasksync.Mutex
		var tasks tasksync.WaitGroup
		balance := 0
		for range 3 {
			tasks.Go(func() {
				mu.Lock()
				defer mu.Unlock()
				was := balance
				lockstep.Yield()
				balance = was + 10
			})
		}
		tasks.Wait()
		fmt.Println(balance)
	})
	// Output: 30
}

func ExampleMutex_LockContext() {
	example(func(ctx context.Context) {
		var mu tasksync.Mutex
		mu.Lock()
		ctx, cancel := context.WithCancelCause(ctx)
		cancel(errors.New("enough"))
		fmt.Println(mu.LockContext(ctx))
	})
	// Output: enough
}

func ExampleRWMutex() {
	example(func(context.Context) {
		var rw tasksync.RWMutex
		prices := map[string]int{"tea": 2}
		var readers tasksync.WaitGroup
		for range 2 {
			readers.Go(func() {
				rw.RLock()
				defer rw.RUnlock()
				fmt.Println(prices["tea"])
			})
		}
		readers.Wait()
		rw.Lock()
		prices["tea"] = 3
		rw.Unlock()
		fmt.Println(prices["tea"])
	})
	// Output:
	// 2
	// 2
	// 3
}

// At most two of five at a time.
func ExampleSemaphore() {
	example(func(ctx context.Context) {
		places := tasksync.NewSemaphore(2)
		var tasks tasksync.WaitGroup
		inside, most := 0, 0
		for range 5 {
			tasks.Go(func() {
				if places.Acquire(ctx, 1) != nil {
					return
				}
				defer places.Release(1)
				inside++
				most = max(most, inside)
				lockstep.Yield()
				inside--
			})
		}
		tasks.Wait()
		fmt.Println(most)
	})
	// Output: 2
}

func ExampleCond() {
	example(func(context.Context) {
		var mu tasksync.Mutex
		ready := tasksync.NewCond(&mu)
		done := false
		lockstep.Go(func() {
			mu.Lock()
			done = true
			mu.Unlock()
			ready.Broadcast()
		})
		mu.Lock()
		for !done {
			ready.Wait()
		}
		mu.Unlock()
		fmt.Println("done")
	})
	// Output: done
}

func ExampleOnceValue() {
	config := tasksync.OnceValue(func() string { fmt.Println("reading"); return "config" })
	example(func(context.Context) { fmt.Println(config(), config()) })
	// Output:
	// reading
	// config config
}
