package steptest

import (
	"math/rand/v2"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/pool"
)

// NewPool returns a pool that runs its tasks one at a time, in an order drawn from the seed, on a virtual clock: for examples, and for code
// that is to do the same each time outside of a test. It takes the options of lockstep.New, and returns its errors.
//
// There is no thread behind it. The tasks run on a goroutine that waits for them: in Run, Close, Shutdown, Task.Wait, Group.Wait or an operation
// of tasksync or chans, as far as they can go on, before the goroutine itself waits. If one goroutine uses the pool, the same
// seed leads to the same run. A task that blocks natively blocks that goroutine.
//
// A panic of a task crashes the process, unless there is a panic handler, as in any pool. The pool has to be closed.
func NewPool(seed uint64, opts ...lockstep.Option) (p *lockstep.Pool, err error) {
	s := random(rand.New(rand.NewPCG(seed, 0)))
	d := pool.NewStepper(s)
	d.Switches = true // goroutines of any kind step it
	d.Run(func() { p, err = lockstep.New(opts...) })
	d.End()
	if err != nil {
		d.Close()
		return nil, err
	}
	d.Manual(d.Close)
	return p, nil
}
