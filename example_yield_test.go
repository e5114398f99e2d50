package lockstep_test

import (
	"context"
	"fmt"
	"time"

	"github.com/lockstep-go/lockstep"
)

func ExampleYield() {
	p, err := lockstep.New(lockstep.WithWorkers(1))
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = p.Run(context.Background(), func(ctx context.Context) error {
		g, _ := lockstep.NewGroup(ctx)
		for _, name := range []string{"a", "b"} {
			g.Go(func() error {
				for i := range 2 {
					fmt.Println(name, i)
					lockstep.Yield()
				}
				return nil
			})
		}
		return g.Wait()
	})
	_ = p.Close()
	// Output:
	// a 0
	// b 0
	// a 1
	// b 1
}

func ExampleBlockInPlace() {
	lookup := func() (string, error) {
		time.Sleep(time.Millisecond) //lockstep:allow sleep stands for some call that blocks the thread
		return "127.0.0.1", nil
	}
	p, err := lockstep.New(lockstep.WithWorkers(1))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer p.Close()
	err = p.Run(context.Background(), func(context.Context) error {
		address, err := lockstep.BlockInPlaceValue(lookup, lockstep.WithBlockInPlace(true))
		fmt.Println(address) // other tasks of the worker ran meanwhile
		return err
	})
	fmt.Println(err)
	// Output:
	// 127.0.0.1
	// <nil>
}
