package rival

import "github.com/gammazero/workerpool"

var workerpoolEntry = Entry{
	Name:        "workerpool",
	Kind:        Rival,
	NeverBlocks: true,
	Calls:       true,
	Module:      "github.com/gammazero/workerpool",
	Note:        "as many goroutines as workers; its queue is unbounded",
	Start: func(c Config) (Pool, error) {
		return &workerPool{pool: workerpool.New(c.limit())}, nil
	},
}

type workerPool struct {
	goroutines
	pool *workerpool.WorkerPool
}

func (p *workerPool) Go(f func())   { p.pool.Submit(f) }
func (p *workerPool) Call(f func()) { p.pool.SubmitWait(f) }
func (p *workerPool) Close()        { p.pool.StopWait() }
