package lockstep_test

import (
	"context"
	"fmt"
	"time"

	"github.com/lockstep-go/lockstep"
)

func ExampleNewTicker() {
	p, err := lockstep.New()
	if err != nil {
		panic(err)
	}
	defer p.Close()
	_ = p.Run(context.Background(), func(ctx context.Context) error {
		ticker := lockstep.NewTicker(time.Millisecond)
		defer ticker.Stop()
		n := 0
		for range ticker.All(ctx) { // parks the task between the ticks
			n++
			fmt.Println("tick", n)
			if n == 3 {
				break
			}
		}
		return nil
	})
	// Output:
	// tick 1
	// tick 2
	// tick 3
}

func ExampleAfterFunc() {
	p, err := lockstep.New()
	if err != nil {
		panic(err)
	}
	defer p.Close()
	_ = p.Run(context.Background(), func(ctx context.Context) error {
		warning := lockstep.AfterFunc(time.Hour, func() { fmt.Println("this takes long") })
		ctx, cancel := lockstep.WithTimeout(ctx, time.Millisecond)
		defer cancel()
		fmt.Println(lockstep.Sleep(ctx, time.Minute))
		fmt.Println(warning.Stop())
		return nil
	})
	// Output:
	// context deadline exceeded
	// true
}
