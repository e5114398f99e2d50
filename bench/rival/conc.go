package rival

import (
	"github.com/sourcegraph/conc"
	"github.com/sourcegraph/conc/pool"
)

const concModule = "github.com/sourcegraph/conc"

var concEntry = Entry{
	Name:          "conc",
	Kind:          Rival,
	NeverBlocks:   true,
	GoroutineEach: true,
	Calls:         true,
	Startless:     true,
	Module:        concModule,
	Note:          "conc.WaitGroup: a goroutine for every task, and its own Wait",
	Start:         func(Config) (Pool, error) { return &concGroup{}, nil },
}

var concPoolEntry = Entry{
	Name:   "conc-pool",
	Kind:   Rival,
	Module: concModule,
	Note:   "pool.New with a limit of one goroutine a worker, or more where the tasks need it; a Go beyond it blocks",
	Start: func(c Config) (Pool, error) {
		return &concPool{pool: pool.New().WithMaxGoroutines(c.limit())}, nil
	},
}

type concGroup struct {
	goroutines
	group conc.WaitGroup
}

func (p *concGroup) Go(f func()) { p.group.Go(f) }
func (p *concGroup) Wait()       { p.group.Wait() }
func (p *concGroup) Close()      { p.group.Wait() }

// Call is the one-task form of the group, as conc's documentation has it.
func (p *concGroup) Call(f func()) {
	var one conc.WaitGroup
	one.Go(f)
	one.Wait()
}

// concPool waits only once, at Close: Wait of a conc pool is its end. Until then the workloads count for it.
type concPool struct {
	goroutines
	pool *pool.Pool
}

func (p *concPool) Go(f func()) { p.pool.Go(f) }
func (p *concPool) Close()      { p.pool.Wait() }
