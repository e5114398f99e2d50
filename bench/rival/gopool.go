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
	Start: func(c Config) (Pool, error) {
		limit := int32(min(c.limit(), math.MaxInt32))
		return &goPool{pool: gopool.NewPool("bench", limit, gopool.NewConfig())}, nil
	},
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
