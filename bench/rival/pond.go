package rival

import (
	"fmt"

	"github.com/alitto/pond/v2"
)

var pondEntry = Entry{
	Name:        "pond",
	Kind:        Rival,
	NeverBlocks: true,
	Calls:       true,
	Module:      "github.com/alitto/pond/v2",
	Note: "as many goroutines as workers and its unbounded queue; Go with a sync.WaitGroup, which is cheaper than " +
		"its task groups; panic recovery off, as with a `go` statement",
	Start: func(c Config) (Pool, error) {
		return &pondPool{pool: pond.NewPool(c.limit(), pond.WithoutPanicRecovery())}, nil
	},
}

var pondUnlimitedEntry = Entry{
	Name:          "pond-unlimited",
	Kind:          Rival,
	NeverBlocks:   true,
	GoroutineEach: true,
	Calls:         true,
	Module:        "github.com/alitto/pond/v2",
	Note:          "the same without a limit of goroutines",
	Start: func(Config) (Pool, error) {
		return &pondPool{pool: pond.NewPool(0, pond.WithoutPanicRecovery())}, nil
	},
}

type pondPool struct {
	goroutines
	pool pond.Pool
}

func (p *pondPool) Go(f func()) {
	if err := p.pool.Go(f); err != nil {
		panic(fmt.Sprintf("pond refused a task: %v", err))
	}
}

func (p *pondPool) Close() { p.pool.StopAndWait() }

// Call is pond's own future.
func (p *pondPool) Call(f func()) {
	if err := p.pool.Submit(f).Wait(); err != nil {
		panic(fmt.Sprintf("pond refused a task: %v", err))
	}
}
