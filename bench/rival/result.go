package rival

import (
	"context"
	"fmt"

	"github.com/alitto/pond/v2"

	"github.com/lockstep-go/lockstep"
)

// Result is what will become of a task.
type Result interface {
	// Wait returns the task's value when there is one.
	Wait() int
}

// Asker is implemented by a rival with an idiom of its own for a task with a result: a handle or a future. The others
// send the result through a channel that the caller makes.
type Asker interface {
	// Ask starts f, which may be waited for from anywhere.
	Ask(f func() int) Result
}

// Ask is lockstep's typed handle.
func (p *lockstepPool) Ask(f func() int) Result {
	return taskResult{lockstep.Spawn(p.below, func(context.Context) (int, error) { return f(), nil })}
}

type taskResult struct{ task *lockstep.Task[int] }

func (r taskResult) Wait() int {
	v, err := r.task.Wait(context.Background())
	if err != nil {
		panic(fmt.Sprintf("lockstep refused a task: %v", err))
	}
	return v
}

// Ask is pond's future. Its pools with typed results are pools of their own, so the value is a variable here, which
// the end of the wait makes visible.
func (p *pondPool) Ask(f func() int) Result {
	r := new(pondResult)
	r.task = p.pool.Submit(func() { r.value = f() })
	return r
}

type pondResult struct {
	task  pond.Task
	value int
}

func (r *pondResult) Wait() int {
	if err := r.task.Wait(); err != nil {
		panic(fmt.Sprintf("pond refused a task: %v", err))
	}
	return r.value
}
