package rival

import (
	"context"
	"fmt"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/chans"
	"github.com/lockstep-go/lockstep/tasksync"
)

const lockstepModule = "github.com/lockstep-go/lockstep"

// LockstepName is the name of lockstep's column.
const LockstepName = "lockstep"

// Lockstep's variants: everything through a declared task queue, workers without threads of their own, and one more P
// than workers.
const (
	LockstepQueueName    = "lockstep-queue"
	LockstepFloatingName = "lockstep-floating"
	LockstepSpareName    = "lockstep-spare"
)

var lockstepEntry = Entry{
	Name:        LockstepName,
	Kind:        Lockstep,
	NeverBlocks: true,
	Calls:       true,
	Module:      lockstepModule,
	Note:        "New with the number of workers and nothing else; tasks go to the default queue",
	Start:       func(c Config) (Pool, error) { return startLockstep(c) },
}

var lockstepQueueEntry = Entry{
	Name:        LockstepQueueName,
	Kind:        Variant,
	NeverBlocks: true,
	Calls:       true,
	Module:      lockstepModule,
	Note:        "the same, but every task goes through a declared task queue",
	Start: func(c Config) (Pool, error) {
		p, err := startLockstep(c, lockstep.WithTaskQueue(declared, lockstep.WithShares(defaultShares)))
		if err != nil {
			return nil, err
		}
		return &lockstepQueue{lockstepPool: p, queue: p.pool.TaskQueue(declared)}, nil
	},
}

var lockstepFloatingEntry = Entry{
	Name:        LockstepFloatingName,
	Kind:        Variant,
	NeverBlocks: true,
	Calls:       true,
	Module:      lockstepModule,
	Note:        "the same as `lockstep` with WithLockOSThread(false)",
	Start:       func(c Config) (Pool, error) { return startLockstep(c, lockstep.WithLockOSThread(false)) },
}

var lockstepSpareEntry = Entry{
	Name:        LockstepSpareName,
	Kind:        Variant,
	NeverBlocks: true,
	Calls:       true,
	Module:      lockstepModule,
	Note:        "the same as `lockstep` with WithSpareProcs(1)",
	Start:       func(c Config) (Pool, error) { return startLockstep(c, lockstep.WithSpareProcs(1)) },
}

const (
	// declared is the queue of the variant that has one.
	declared = "declared"
	// defaultShares is what the queue "default" has, so that a declared queue differs from it by name only.
	defaultShares = 100
)

// lockstepPool is lockstep's default queue.
type lockstepPool struct {
	pool *lockstep.Pool
	// below is a context below which Spawn uses this pool, for callers outside of it.
	below context.Context
	// classes are looked up once, as a program does.
	classes map[string]*lockstep.TaskQueue
}

func startLockstep(c Config, opts ...lockstep.Option) (*lockstepPool, error) {
	opts = append(opts, lockstep.WithWorkers(max(c.Workers, 1)))
	for _, class := range c.Classes {
		of := []lockstep.QueueOption{lockstep.WithShares(class.Shares), lockstep.WithBlockInPlace(class.Moved)}
		if class.Latency > 0 {
			of = append(of, lockstep.WithLatency(class.Latency))
		}
		opts = append(opts, lockstep.WithTaskQueue(class.Name, of...))
	}
	pool, err := lockstep.New(opts...)
	if err != nil {
		return nil, fmt.Errorf("lockstep: %w", err)
	}
	p := &lockstepPool{pool: pool, below: pool.Context(context.Background()), classes: make(map[string]*lockstep.TaskQueue)}
	for _, class := range c.Classes {
		p.classes[class.Name] = pool.TaskQueue(class.Name)
	}
	return p, nil
}

func (p *lockstepPool) Go(f func())                 { p.pool.Go(f) }
func (p *lockstepPool) Yield()                      { lockstep.Yield() }
func (p *lockstepPool) YieldIfNeeded()              { lockstep.YieldIfNeeded() }
func (p *lockstepPool) NewLatch() Latch             { return new(tasksync.WaitGroup) }
func (p *lockstepPool) NewLine(capacity int) Line   { return taskLine{chans.New[int](capacity)} }
func (p *lockstepPool) GoIn(class string, f func()) { p.classes[class].Go(f) }

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

// Native is implemented by lockstep, for rows that need what only it has.
type Native interface {
	// Lockstep returns the pool itself.
	Lockstep() *lockstep.Pool
}

// Lockstep returns the pool.
func (p *lockstepPool) Lockstep() *lockstep.Pool { return p.pool }
