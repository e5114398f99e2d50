package rival

import (
	"context"
	"fmt"

	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep"
)

const lockstepModule = "github.com/lockstep-go/lockstep"

// LockstepName is the name of lockstep's column.
const LockstepName = "lockstep"

// LockstepQueueName is the name of the variant that runs everything through a declared task queue.
const LockstepQueueName = "lockstep-queue"

var lockstepEntry = Entry{
	Name:        LockstepName,
	Kind:        Lockstep,
	NeverBlocks: true,
	Calls:       true,
	Module:      lockstepModule,
	Note:        "New with the number of workers and nothing else; tasks go to the default queue",
	Start:       func(c Config) (Pool, error) { return startLockstep(c, "") },
}

var lockstepQueueEntry = Entry{
	Name:        LockstepQueueName,
	Kind:        Variant,
	NeverBlocks: true,
	Calls:       true,
	Module:      lockstepModule,
	Note:        "the same, but every task goes through a declared task queue",
	Start:       func(c Config) (Pool, error) { return startLockstep(c, "declared") },
}

// defaultShares is what the queue "default" has, so that a declared queue differs from it by name only.
const defaultShares = 100

// lockstepPool is lockstep's default queue.
type lockstepPool struct{ pool *lockstep.Pool }

func startLockstep(c Config, through string) (Pool, error) {
	opts := []lockstep.Option{lockstep.WithWorkers(max(c.Workers, 1))}
	for _, class := range c.Classes {
		opts = append(opts, lockstep.WithTaskQueue(class.Name,
			lockstep.WithShares(class.Shares), lockstep.WithBlockInPlace(class.Moved)))
	}
	if through != "" {
		opts = append(opts, lockstep.WithTaskQueue(through, lockstep.WithShares(defaultShares)))
	}
	pool, err := lockstep.New(opts...)
	if err != nil {
		return nil, fmt.Errorf("lockstep: %w", err)
	}
	p := &lockstepPool{pool: pool}
	if through == "" {
		return p, nil
	}
	return &lockstepQueue{lockstepPool: p, queue: pool.TaskQueue(through)}, nil
}

func (p *lockstepPool) Go(f func())                 { p.pool.Go(f) }
func (p *lockstepPool) Yield()                      { lockstep.Yield() }
func (p *lockstepPool) NewLatch() Latch             { return new(yieldLatch) }
func (p *lockstepPool) GoIn(class string, f func()) { p.pool.TaskQueue(class).Go(f) }

// Call starts a task with a typed handle and waits for the handle, which parks the calling task.
func (p *lockstepPool) Call(f func()) {
	ctx := context.Background()
	_, err := lockstep.Spawn(ctx, func(context.Context) (struct{}, error) {
		f()
		return struct{}{}, nil
	}).Wait(ctx)
	if err != nil {
		panic(fmt.Sprintf("lockstep refused a task: %v", err))
	}
}

func (p *lockstepPool) Close() {
	if err := p.pool.Close(); err != nil {
		panic(fmt.Sprintf("lockstep did not close: %v", err))
	}
}

// lockstepQueue is the same pool, entered through a declared queue.
type lockstepQueue struct {
	*lockstepPool
	queue *lockstep.TaskQueue
}

func (p *lockstepQueue) Go(f func()) { p.queue.Go(f) }

// yieldLatch waits by giving way: a task that blocked natively would hold its worker, and the tasks it waits for are
// most likely in that worker's own queue.
type yieldLatch struct{ left atomic.Int64 }

func (l *yieldLatch) Add(n int) { l.left.Add(int64(n)) }
func (l *yieldLatch) Done()     { l.left.Dec() }
func (l *yieldLatch) Wait() {
	for l.left.Load() > 0 {
		lockstep.Yield()
	}
}
