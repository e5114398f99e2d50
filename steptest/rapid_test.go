package steptest_test

import (
	"flag"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/chans"
	"github.com/lockstep-go/lockstep/steptest"
)

// The inputs are rapid's, and for each of them some schedules are tried: whatever is sent arrives, in the order of each sender.
func TestRapidDrawsWhatSteptestSchedules(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		capacity := rapid.IntRange(0, 3).Draw(rt, "capacity")
		sent := rapid.SliceOfN(rapid.SliceOfN(rapid.Int(), 0, 4), 1, 3).Draw(rt, "sent")
		steptest.Run(rt, func(t *steptest.T) {
			c := chans.New[[2]int](capacity)
			var g lockstep.Group
			for i, values := range sent {
				g.Go(func() error {
					for _, v := range values {
						if err := c.Put([2]int{i, v}); err != nil {
							return err
						}
					}
					return nil
				})
			}
			lockstep.Go(func() {
				_ = g.Wait()
				c.Close()
			})
			got := make([][]int, len(sent))
			for v, ok := c.Get(); ok; v, ok = c.Get() {
				got[v[0]] = append(got[v[0]], v[1])
			}
			for i := range sent {
				require.ElementsMatch(t, sent[i], got[i])
				require.True(t, len(sent[i]) == 0 || equal(sent[i], got[i]))
			}
		}, steptest.Schedules(20), steptest.NoCorpus())
	})
}

func equal(a, b []int) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// A failure of a schedule is one of rapid's check. The input that rapid names is one with which an update can be lost: it looks for the smallest, but
// only as long as failures look the same.
func TestRapidTakesTheFailure(t *testing.T) {
	require.NoError(t, flag.Set("rapid.nofailfile", "true"))
	r := &rapidRecorder{TB: t}
	r.check(func(rt *rapid.T) {
		n := rapid.IntRange(0, 5).Draw(rt, "tasks")
		steptest.Run(rt, func(t *steptest.T) {
			sum := 0
			var g lockstep.Group
			for range n {
				g.Go(func() error {
					x := sum
					t.Point("between")
					sum = x + 1
					return nil
				})
			}
			_ = g.Wait()
			require.Equal(t, n, sum)
		}, steptest.Schedules(50), steptest.NoCorpus())
	})
	require.True(t, r.failed)
	require.Regexp(t, "draw tasks: [2-5]", r.text.String())
	require.Contains(t, r.text.String(), "steptest: failure in schedule ")
}

// rapidRecorder keeps what rapid says of a check that is to fail.
type rapidRecorder struct {
	rapid.TB
	failed bool
	text   strings.Builder
}

func (r *rapidRecorder) check(property func(*rapid.T)) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		rapid.Check(r, property)
	}()
	<-done
}

func (r *rapidRecorder) Logf(format string, args ...any) { fmt.Fprintf(&r.text, format+"\n", args...) }

func (r *rapidRecorder) Errorf(format string, args ...any) {
	r.failed = true
	r.Logf(format, args...)
}

func (r *rapidRecorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

func (r *rapidRecorder) Fail()        { r.failed = true }
func (r *rapidRecorder) Failed() bool { return r.failed }

func (r *rapidRecorder) FailNow() {
	r.failed = true
	runtime.Goexit()
}
