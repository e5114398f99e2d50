package steptest_test

import (
	"context"
	"fmt"
	"time"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/steptest"
	"github.com/lockstep-go/lockstep/tasksync"
)

// The order of the tasks is drawn from the seed, and the hour takes no time.
func ExampleNewPool() {
	p, err := steptest.NewPool(1)
	if err != nil {
		panic(err)
	}
	for _, name := range []string{"a", "b", "c"} {
		p.Go(func() {
			fmt.Println(name, "begins")
			_ = lockstep.Sleep(context.Background(), time.Hour)
			fmt.Println(name, "ends")
		})
	}
	_ = p.Close()
	// Output:
	// b begins
	// a begins
	// c begins
	// b ends
	// a ends
	// c ends
}

// A search outside of a test: of two tasks that add one to a number, and take the lock twice for that.
func ExampleSearch() {
	r := steptest.Search("counter", func(t *steptest.T) {
		var mu tasksync.Mutex
		n := 0
		var g lockstep.Group
		for range 2 {
			g.Go(func() error {
				mu.Lock()
				before := n
				mu.Unlock()
				mu.Lock()
				n = before + 1
				mu.Unlock()
				return nil
			})
		}
		_ = g.Wait()
		if n != 2 {
			t.Fatalf("n is %d", n)
		}
	})
	fmt.Println(r.Failed, r.Kind)
	fmt.Println(r.Text)
	// Output:
	// true failure
	// n is 1
	// (in the body)
}
