package rival

import (
	"fmt"

	"golang.org/x/sync/errgroup"
)

const errgroupModule = "golang.org/x/sync"

var errgroupEntry = Entry{
	Name:          "errgroup",
	Kind:          Rival,
	NeverBlocks:   true,
	GoroutineEach: true,
	Calls:         true,
	Startless:     true,
	Module:        errgroupModule,
	Note:          "a zero errgroup.Group: a goroutine for every task, and its own Wait",
	Start:         func(Config) (Pool, error) { return &errGroup{}, nil },
}

var errgroupLimitEntry = Entry{
	Name:      "errgroup-limit",
	Kind:      Rival,
	Calls:     true,
	Startless: true,
	Module:    errgroupModule,
	Note:      "the same with a limit of one goroutine a worker, or more where the tasks need it; a Go beyond it blocks",
	Start: func(c Config) (Pool, error) {
		p := &errGroup{}
		p.group.SetLimit(c.limit())
		return p, nil
	},
}

type errGroup struct {
	goroutines
	group errgroup.Group
}

func (p *errGroup) Go(f func()) { p.GoN(f, 1) }

// GoN makes the function that errgroup wants once for all of them, as its users write it.
func (p *errGroup) GoN(f func(), n int) {
	task := func() error {
		f()
		return nil
	}
	for range n {
		p.group.Go(task)
	}
}

func (p *errGroup) Wait() {
	if err := p.group.Wait(); err != nil {
		panic(fmt.Sprintf("errgroup failed: %v", err))
	}
}

func (p *errGroup) Close() { p.Wait() }

// Call is the one-task form of the group.
func (p *errGroup) Call(f func()) {
	one := errGroup{}
	one.Go(f)
	one.Wait()
}
