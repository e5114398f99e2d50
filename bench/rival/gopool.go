package rival

import (
	"math"
	"time"

	"github.com/bytedance/gopkg/util/gopool"
)

var gopoolEntry = Entry{
	Name:        "gopool",
	Kind:        Rival,
	NeverBlocks: true,
	Module:      "github.com/bytedance/gopkg",
	Note:        "as many goroutines as workers, as its own benchmark has it; its queue is unbounded",
	Start:       func(c Config) (Pool, error) { return startGoPool(c.limit()), nil },
}

var gopoolUnlimitedEntry = Entry{
	Name:          "gopool-unlimited",
	Kind:          Rival,
	NeverBlocks:   true,
	GoroutineEach: true,
	Module:        "github.com/bytedance/gopkg",
	Note:          "the same without a limit, as its package-level Go has it: a goroutine for every task in progress, reused",
	Start:         func(Config) (Pool, error) { return startGoPool(math.MaxInt32), nil },
}

func startGoPool(limit int) Pool {
	return &goPool{pool: gopool.NewPool("bench", int32(min(limit, math.MaxInt32)), gopool.NewConfig())}
}

type goPool struct {
	goroutines
	pool gopool.Pool
}

func (p *goPool) Go(f func()) { p.pool.Go(f) }

// Close waits until gopool's goroutines have gone: it has no end of its own, they leave when the queue is empty,
// and the next measurement must not run beside them.
func (p *goPool) Close() {
	for p.pool.WorkerCount() > 0 {
		time.Sleep(50 * time.Microsecond)
	}
}
