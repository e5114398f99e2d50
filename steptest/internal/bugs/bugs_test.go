// Not with the race detector: half of the programs have data races on purpose, their cells stand for atomic variables as well as for unprotected ones, and
// some hundred thousand schedules take minutes with it.

//go:build !race

package bugs_test

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep/steptest"
	"github.com/lockstep-go/lockstep/steptest/internal/bugs"
)

// seeds is how many searches each fault is looked for in.
const seeds = 5

// each calls f as a subtest with every program.
func each(t *testing.T, f func(t *testing.T, p bugs.Program)) {
	for _, p := range bugs.All() {
		t.Run(p.Name, func(t *testing.T) { f(t, p) })
	}
}

// capOf is how many schedules the fault of p may need.
func capOf(p *bugs.Program) int {
	if p.Cap == 0 {
		return bugs.DefaultCap
	}
	return p.Cap
}

func limits(p *bugs.Program, most, seed int) []steptest.Option {
	return append(p.Options(), steptest.Schedules(most), steptest.Seed(uint64(seed)), steptest.For(time.Hour))
}

// Every fault is found, by each of some seeds, in as many schedules as the program says, and its token leads there again.
func TestFaultsAreFound(t *testing.T) {
	each(t, func(t *testing.T, p bugs.Program) {
		for seed := range seeds {
			r := steptest.Search(p.Name, p.Buggy, limits(&p, capOf(&p), seed+1)...)
			require.True(t, r.Failed, "seed %d: not found in %d schedules", seed+1, r.Schedules)
			require.Equal(t, p.Kind, r.Kind, r.Text)
			again := recorded(p.Name, func(t steptest.TB) { steptest.Replay(t, r.Token, p.Buggy, append(p.Options(), steptest.NoCorpus())...) })
			require.Equal(t, p.Kind, again.kind(), "seed %d, token %s: %s", seed+1, r.Token, again.text)
		}
	})
}

// What Run prints has the kind of the fault, and a token that leads there again, after it has been made simpler.
func TestPrintedTokens(t *testing.T) {
	token := regexp.MustCompile(`-steptest\.replay=(\S+)`)
	each(t, func(t *testing.T, p bugs.Program) {
		r := recorded(p.Name, func(t steptest.TB) {
			steptest.Run(t, p.Buggy, append(limits(&p, capOf(&p), 1), steptest.NoCorpus())...)
		})
		require.Equal(t, p.Kind, r.kind(), r.text)
		m := token.FindStringSubmatch(r.text)
		require.NotNil(t, m, r.text)
		again := recorded(p.Name, func(t steptest.TB) { steptest.Replay(t, m[1], p.Buggy, append(p.Options(), steptest.NoCorpus())...) })
		require.Equal(t, p.Kind, again.kind(), "token %s: %s", m[1], again.text)
	})
}

// Nothing is found in the twins.
func TestTwinsPass(t *testing.T) {
	each(t, func(t *testing.T, p bugs.Program) {
		r := steptest.Search(p.Name, p.Fixed, limits(&p, 300, 1)...)
		require.False(t, r.Failed, "%s: %s, token %s", r.Kind, r.Text, r.Token)
	})
}

// Nothing is found in them either on workers that run one task at a time, or where time may pass at any step.
func TestTwinsPassElsewhere(t *testing.T) {
	each(t, func(t *testing.T, p bugs.Program) {
		for _, o := range []steptest.Option{steptest.Workers(1), steptest.Workers(2), steptest.EarlyTimers(true)} {
			r := steptest.Search(p.Name, p.Fixed, append(limits(&p, 100, 1), o)...)
			require.False(t, r.Failed, "%s: %s, token %s", r.Kind, r.Text, r.Token)
		}
	})
}

// The same with a million schedules each, or as many as there is time for.
func TestStressTwinsPass(t *testing.T) {
	long, err := time.ParseDuration(os.Getenv("LOCKSTEP_STRESS"))
	if err != nil {
		t.Skip("set LOCKSTEP_STRESS")
	}
	all := bugs.All()
	each(t, func(t *testing.T, p bugs.Program) {
		opts := append(limits(&p, 1_000_000, int(time.Now().UnixNano())), steptest.For(long/time.Duration(len(all))))
		r := steptest.Search(p.Name, p.Fixed, opts...)
		require.False(t, r.Failed, "%s: %s, token %s", r.Kind, r.Text, r.Token)
		t.Logf("%d schedules", r.Schedules)
	})
}

// What the table says of programs rests on their names.
func TestNamesDiffer(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range bugs.All() {
		require.False(t, seen[p.Name], p.Name)
		seen[p.Name] = true
		require.NotEmpty(t, p.Source, p.Name)
	}
}

// record is a test that keeps what it is told.
type record struct {
	name, text string
}

func recorded(name string, f func(t steptest.TB)) *record {
	r := &record{name: name}
	done := make(chan struct{})
	go func() {
		defer close(done)
		f(r)
	}()
	<-done
	return r
}

func (*record) Helper()                             {}
func (r *record) Name() string                      { return r.name }
func (r *record) Logf(string, ...any)               {}
func (r *record) Errorf(format string, args ...any) { r.text += fmt.Sprintf(format, args...) }
func (r *record) FailNow()                          { runtime.Goexit() }
func (r *record) SkipNow()                          { runtime.Goexit() }

var firstLine = regexp.MustCompile(`^steptest: (.*?) in `)

// kind is that of the failure, as the report calls it.
func (r *record) kind() string {
	if m := firstLine.FindStringSubmatch(r.text); m != nil {
		return m[1]
	}
	return ""
}
