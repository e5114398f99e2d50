package lockstep_test

import (
	"context"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
)

// Sections that block in system calls cost a thread for each place of the overflow pool, not for
// each section, and leave the workers to others.
func TestD31BlockedSystemCallsDoNotEatThreads(t *testing.T) {
	var pipe [2]int
	require.NoError(t, syscall.Pipe(pipe[:]))
	defer func() { _, _ = syscall.Close(pipe[0]), syscall.Close(pipe[1]) }()
	before := threads()
	const sections, places = 10_000, 8
	p := still(t, 4, lockstep.WithOverflow(places), lockstep.WithBlockInPlace(true))
	g, _ := lockstep.NewGroup(p.Context(bg))
	for range sections {
		g.Go(func() error {
			n, err := lockstep.BlockInPlaceValue(func() (int, error) { return syscall.Read(pipe[0], make([]byte, 1)) })
			if err == nil && n != 1 {
				t.Error("nothing read")
			}
			return err
		})
	}
	until(func() bool { o := p.Stats().Overflow; return o.Running == places && o.Queued == sections-places })
	meet(t, p, 4) // all four workers are free
	for range 100 {
		require.NoError(t, p.Run(bg, func(context.Context) error { lockstep.Yield(); return nil }))
	}
	require.LessOrEqual(t, threads(), before+4+places+runtime.GOMAXPROCS(0)+10)
	_, err := syscall.Write(pipe[1], make([]byte, sections))
	require.NoError(t, err)
	require.NoError(t, g.Wait())
}
