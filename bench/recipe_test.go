package bench

import (
	"context"
	"testing"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/chans"
)

// The two benchmarks in this file are the recipe of the README: how to measure what converses with tasks. They differ
// in who runs b.Loop.

// BenchmarkRecipeOutside is what one writes first. Its loop is an ordinary goroutine, so each round trip wakes two
// threads that sleep.
func BenchmarkRecipeOutside(b *testing.B) {
	p, ask := echo(b)
	defer p.Close()
	defer ask.Close()
	converse(b, ask)
}

// BenchmarkRecipeInside runs the loop as a task, where a round trip is two switches.
func BenchmarkRecipeInside(b *testing.B) {
	p, ask := echo(b)
	defer p.Close()
	defer ask.Close()
	err := p.Run(b.Context(), func(context.Context) error {
		converse(b, ask)
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}

type question struct{ answer chans.Oneshot[int] }

// echo is a pool with a task that answers.
func echo(b *testing.B) (*lockstep.Pool, *chans.Chan[*question]) {
	p, err := lockstep.New()
	if err != nil {
		b.Fatal(err)
	}
	ask := chans.New[*question](1)
	p.Go(func() {
		n := 0
		for q, ok := ask.Get(); ok; q, ok = ask.Get() {
			n++
			q.answer.Send(n)
		}
	})
	return p, ask
}

func converse(b *testing.B, ask *chans.Chan[*question]) {
	ctx := context.Background()
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		n++
		q := new(question)
		if err := ask.Put(q); err != nil {
			b.Error(err)
			return
		}
		if v, err := q.answer.Receive(ctx); err != nil || v != n {
			b.Errorf("answer %d instead of %d: %v", v, n, err)
			return
		}
	}
}
