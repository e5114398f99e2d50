package lockstep_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep"
)

// panics collects what a panic handler gets.
type panics struct {
	mu  sync.Mutex
	all []*lockstep.PanicError
}

func (p *panics) handler() lockstep.Option {
	return lockstep.WithPanicHandler(func(e *lockstep.PanicError) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.all = append(p.all, e)
	})
}

type unusual struct{ list []int } // not comparable

func panicsWithAString()  { panic("x") }
func panicsWithNil()      { panic(nil) }
func panicsWithAnError()  { panic(context.Canceled) }
func panicsUnusually()    { panic(unusual{[]int{1}}) }
func panicsInTheRuntime() { zero := len(""); _ = 1 / zero }
func panicsTwice()        { defer func() { panic("second") }(); panic("first") }
func panicsInADefer()     { defer panicsWithAString(); exit() }

var panicking = []struct {
	name string
	f    func()
	want func(v any) bool
}{
	{"panicsWithAString", panicsWithAString, func(v any) bool { return v == "x" }},
	{"panicsWithNil", panicsWithNil, func(v any) bool { _, ok := v.(*runtime.PanicNilError); return ok }},
	{"panicsWithAnError", panicsWithAnError, func(v any) bool { return v == context.Canceled }},
	{"panicsUnusually", panicsUnusually, func(v any) bool { return v.(unusual).list[0] == 1 }},
	{"panicsInTheRuntime", panicsInTheRuntime, func(v any) bool { _, ok := v.(runtime.Error); return ok }},
	{"panicsTwice", panicsTwice, func(v any) bool { return v == "second" }},
	{"panicsWithAString", panicsInADefer, func(v any) bool { return v == "x" }},
}

func TestPanicHandlerGetsValueAndStack(t *testing.T) {
	for _, yields := range []int{0, 3} {
		var got panics
		p := workers(t, 1, got.handler())
		useDefault(t, p)
		for _, c := range panicking {
			f := func() {
				for range yields {
					lockstep.Yield()
				}
				c.f()
			}
			p.Go(f)
			_, err := lockstep.Spawn(bg, func(context.Context) (int, error) { f(); return 0, nil }).Wait(bg)
			var spawned, grouped *lockstep.PanicError
			require.ErrorAs(t, err, &spawned)
			var g lockstep.Group
			g.Go(func() error { f(); return nil })
			require.ErrorAs(t, g.Wait(), &grouped)
			inTask(p, func(context.Context) {}) // the task of Go has ended too
			require.Len(t, got.all, 3)
			require.Contains(t, got.all, spawned)
			require.Contains(t, got.all, grouped)
			for _, e := range got.all {
				require.True(t, c.want(e.Value), "%s: %v", c.name, e.Value)
				require.Contains(t, string(e.Stack), "lockstep_test."+c.name)
				require.Contains(t, e.Error(), "lockstep_test."+c.name)
			}
			got.all = nil
		}
		require.ErrorIs(t, &lockstep.PanicError{Value: context.Canceled}, context.Canceled)
		require.NoError(t, p.Close())
		s := p.Stats().Queues[0]
		require.Equal(t, uint64(3*len(panicking)), s.Panicked)
		require.Equal(t, s.Started, s.Finished)
	}
}

func TestD06WaitNeverMissesAPanic(t *testing.T) {
	p := workers(t, 2, lockstep.WithPanicHandler(func(*lockstep.PanicError) {}))
	for i := range 10_000 {
		_, err := lockstep.Spawn(p.Context(bg), func(context.Context) (int, error) { panic(i) }).Wait(bg)
		e, ok := err.(*lockstep.PanicError)
		require.True(t, ok, err)
		require.Equal(t, i, e.Value)
		require.NotEmpty(t, e.Stack)
	}
}

// A handler may fail the test, which is runtime.Goexit in the task.
func TestPanicHandlerThatCallsGoexit(t *testing.T) {
	p := workers(t, 1, lockstep.WithPanicHandler(func(*lockstep.PanicError) { exit() }))
	useDefault(t, p)
	p.Go(panicsWithAString)
	_, err := lockstep.Spawn(bg, func(context.Context) (int, error) { panic("x") }).Wait(bg)
	require.Equal(t, lockstep.ErrGoexit, err)
	var g lockstep.Group
	g.Go(func() error { panic("x") })
	require.Equal(t, lockstep.ErrGoexit, g.Wait())
	require.NoError(t, p.Run(bg, func(context.Context) error { return nil }))
}

func TestPanicHandlerMayYieldAndSpawn(t *testing.T) {
	var p *lockstep.Pool
	ran := atomic.NewInt32(0)
	p = workers(t, 1, lockstep.WithPanicHandler(func(*lockstep.PanicError) {
		lockstep.Yield()
		_ = lockstep.Sleep(bg, 1000)
		p.Go(func() { ran.Inc() })
		lockstep.BlockInPlace(func() { ran.Inc() }, lockstep.WithBlockInPlace(true))
	}))
	for range 100 {
		p.Go(panicsWithAString)
		p.Go(lockstep.Yield)
	}
	require.NoError(t, p.Close())
	require.Equal(t, int32(200), ran.Load())
}

func TestD08GoexitEndsTheTaskAlone(t *testing.T) {
	for _, yields := range []int{0, 1, 5} {
		for _, locked := range []bool{true, false} {
			p := workers(t, 1, lockstep.WithLockOSThread(locked))
			marks := atomic.NewInt32(0)
			f := func() {
				defer marks.Inc()
				defer lockstep.Yield()
				for range yields {
					lockstep.Yield()
				}
				exit()
			}
			for range 50 {
				p.Go(f)
				p.Go(lockstep.Yield)
				_, err := lockstep.Spawn(p.Context(bg), func(context.Context) (int, error) { f(); return 1, nil }).Wait(bg)
				require.Equal(t, lockstep.ErrGoexit, err)
			}
			require.NoError(t, p.Close())
			require.Equal(t, int32(100), marks.Load())
			s := p.Stats().Queues[0]
			require.Equal(t, uint64(100), s.Exited)
			require.Equal(t, uint64(150), s.Finished)
		}
	}
}

func TestRecoveredPanicsAndGoexitInDefers(t *testing.T) {
	p := workers(t, 1)
	v, err := lockstep.Spawn(p.Context(bg), func(context.Context) (s string, err error) {
		defer func() { s = fmt.Sprint(recover()); lockstep.Yield() }()
		lockstep.Yield()
		panic("mine")
	}).Wait(bg)
	require.NoError(t, err)
	require.Equal(t, "mine", v)
	_, err = lockstep.Spawn(p.Context(bg), func(context.Context) (int, error) {
		defer exit() // takes the place of the panic, as in a goroutine
		panic("lost")
	}).Wait(bg)
	require.Equal(t, lockstep.ErrGoexit, err)
	p.Go(func() { defer exit(); panic("lost") })
	p.Go(func() { defer func() { defer exit(); panic(1) }(); lockstep.Yield(); panic(2) })
	require.NoError(t, p.Close())
}

func TestPanicInAMovedSectionShowsBothStacks(t *testing.T) {
	var got panics
	p := workers(t, 1, got.handler())
	p.Go(func() { lockstep.BlockInPlace(panicsWithAString, lockstep.WithBlockInPlace(true)) })
	p.Go(func() {
		_ = panicOf(func() { lockstep.BlockInPlace(panicsUnusually, lockstep.WithBlockInPlace(true)) })
		panic(errors.New("another one"))
	})
	p.Go(func() { lockstep.BlockInPlace(panicsUnusually, lockstep.WithBlockInPlace(true)) })
	require.NoError(t, p.Close())
	require.Len(t, got.all, 3)
	for _, e := range got.all {
		stack := string(e.Stack)
		switch e.Value.(type) {
		case error:
			require.NotContains(t, stack, "panicsUnusually", "it was recovered")
		case string:
			require.Contains(t, stack, "lockstep.BlockInPlace", "the task's stack")
			require.Contains(t, stack, "panicsWithAString", "the section's stack")
			require.Equal(t, 1, strings.Count(stack, "raised in a section that BlockInPlace moved"))
		case unusual:
			require.Contains(t, stack, "lockstep.BlockInPlace")
		}
	}
}
