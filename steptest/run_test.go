package steptest_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/steptest"
	"github.com/lockstep-go/lockstep/tasksync"
)

// recorded is a test that records what Run does to it.
type recorded struct {
	name    string
	text    string
	logs    string
	failed  bool
	skipped bool
}

func (*recorded) Helper()                           {}
func (r *recorded) Name() string                    { return r.name }
func (r *recorded) Logf(format string, args ...any) { r.logs += fmt.Sprintf(format, args...) + "\n" }

func (r *recorded) Errorf(format string, args ...any) {
	r.failed = true
	r.text += fmt.Sprintf(format, args...) + "\n"
}

func (r *recorded) FailNow() {
	r.failed = true
	runtime.Goexit()
}

func (r *recorded) SkipNow() {
	r.skipped = true
	runtime.Goexit()
}

// outcome runs the body as a test of that name and returns what became of it.
func outcome(name string, body func(*steptest.T), opts ...steptest.Option) *recorded {
	r := &recorded{name: name}
	done := make(chan struct{})
	go func() {
		defer close(done)
		steptest.Run(r, body, append([]steptest.Option{steptest.NoCorpus()}, opts...)...)
	}()
	<-done
	return r
}

func transfers(t *steptest.T) {
	var a, b tasksync.Mutex
	t.Label(&a, "a")
	t.Label(&b, "b")
	var wg tasksync.WaitGroup
	moved := 0
	wg.Go(func() {
		a.Lock()
		b.Lock()
		moved++
		b.Unlock()
		a.Unlock()
	})
	wg.Go(func() {
		b.Lock()
		a.Lock()
		moved++
		a.Unlock()
		b.Unlock()
	})
	wg.Wait()
}

func TestDeadlock(t *testing.T) {
	r := outcome("TestTransfer", transfers)
	require.True(t, r.failed)
	for _, text := range []string{
		"steptest: deadlock in schedule 1 ",
		"circle: t1 waits for b of t2, t2 waits for a of t1",
		"lock b  run_test.go:", "(t2 has it)",
		"go test -run '^TestTransfer$' -steptest.replay=s1",
	} {
		require.Contains(t, r.text, text)
	}
}

func TestLostUpdate(t *testing.T) {
	r := outcome("TestLost", func(t *steptest.T) {
		x := 0
		g := lockstep.Group{}
		for range 2 {
			g.Go(func() error { y := x; t.Point("between"); x = y + 1; return nil })
		}
		g.Wait()
		require.Equal(t, 2, x)
	})
	require.True(t, r.failed)
	require.Contains(t, r.text, "steptest: failure in schedule ")
	require.Contains(t, r.text, "expected: 2")
	require.Contains(t, r.text, "between  run_test.go:", "the trace")
}
