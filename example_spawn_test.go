package lockstep_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/lockstep-go/lockstep"
)

func ExampleSpawn() {
	p, err := lockstep.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer p.Close()
	ctx := p.Context(context.Background())
	double := func(n int) *lockstep.Task[int] {
		return lockstep.Spawn(ctx, func(context.Context) (int, error) { return 2 * n, nil })
	}
	a, b := double(20), double(1)
	x, _ := a.Wait(ctx)
	y, _ := b.Wait(ctx)
	fmt.Println(x + y)
	// Output: 42
}

func ExampleTask_Cancel() {
	p, err := lockstep.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer p.Close()
	ctx := p.Context(context.Background())
	t := lockstep.Spawn(ctx, func(ctx context.Context) (string, error) {
		<-ctx.Done()
		return "", context.Cause(ctx)
	})
	t.Cancel(errors.New("not needed any more"))
	_, err = t.Wait(ctx)
	fmt.Println(err)
	// Output: not needed any more
}

func ExampleGroup() {
	p, err := lockstep.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer p.Close()
	g, ctx := lockstep.NewGroup(p.Context(context.Background()))
	g.SetLimit(2)
	for i := range 3 {
		g.Go(func() error {
			if i == 1 {
				return fmt.Errorf("part %d failed", i)
			}
			return nil
		})
	}
	fmt.Println(g.Wait())
	fmt.Println(context.Cause(ctx))
	// Output:
	// part 1 failed
	// part 1 failed
}

func ExamplePool_Run() {
	p, err := lockstep.New(lockstep.WithWorkers(1))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer p.Close()
	defer func() { fmt.Println("recovered:", recover()) }()
	_ = p.Run(context.Background(), func(context.Context) error { panic("as in a call") })
	// Output: recovered: as in a call
}
