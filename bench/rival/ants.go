package rival

import (
	"fmt"
	"time"

	"github.com/panjf2000/ants/v2"
)

const antsModule = "github.com/panjf2000/ants/v2"

var antsEntry = Entry{
	Name:          "ants",
	Kind:          Rival,
	NeverBlocks:   true,
	GoroutineEach: true,
	Module:        antsModule,
	Note:          "capacity -1: as many goroutines as there are tasks in progress, reused",
	Start:         func(Config) (Pool, error) { return startAnts(-1) },
}

var antsFixedEntry = Entry{
	Name:   "ants-fixed",
	Kind:   Rival,
	Module: antsModule,
	Note: fmt.Sprintf("capacity %d, or more where the tasks need it; a Submit beyond it blocks. In a trial of 2 to "+
		"1,000, this was the fastest by far for batches and as fast as the others for a stream", antsFixedCapacity),
	Start: func(c Config) (Pool, error) { return startAnts(max(antsFixedCapacity, c.limit())) },
}

// antsFixedCapacity is far above the number of processors: at a capacity of one goroutine a processor nearly every
// Submit of a batch blocks and has to be woken again, which takes about twice as long.
const antsFixedCapacity = 1000

// antsCloseLimit bounds the wait for ants' goroutines at Close; Release alone does not wait for them.
const antsCloseLimit = time.Minute

type antsPool struct {
	goroutines
	pool *ants.Pool
}

func startAnts(capacity int) (Pool, error) {
	pool, err := ants.NewPool(capacity)
	if err != nil {
		return nil, fmt.Errorf("ants: %w", err)
	}
	return &antsPool{pool: pool}, nil
}

func (p *antsPool) Go(f func()) {
	if err := p.pool.Submit(f); err != nil {
		panic(fmt.Sprintf("ants refused a task: %v", err))
	}
}

func (p *antsPool) Close() {
	if err := p.pool.ReleaseTimeout(antsCloseLimit); err != nil {
		panic(fmt.Sprintf("ants did not close: %v", err))
	}
}
