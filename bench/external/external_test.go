package external_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep/bench/external"
)

const sample = `{"workload":"","rival":"tokio multi_thread","note":"tokio 1.54.1"}
{"workload":"","rival":"glommio","note":"left out: io_uring does not work here"}

{"workload":"YieldLone","title":"yield, alone in the pool","rival":"tokio multi_thread","unit":"ns/yield","value":41.5,"rounds":[40,41.5,43.25],"note":""}
{"workload":"BlockOn","title":"one by one","rival":"tokio multi_thread","unit":"ns/section","value":null,"rounds":[],"note":"failed: no thread"}
`

func TestLinesAreRead(t *testing.T) {
	report, err := external.Parse(strings.NewReader(sample))
	require.NoError(t, err)
	require.Equal(t, external.Report{
		Remarks: []external.Remark{
			{Rival: "tokio multi_thread", Note: "tokio 1.54.1"},
			{Rival: "glommio", Note: "left out: io_uring does not work here"},
		},
		Results: []external.Result{
			{
				Workload: "YieldLone", Title: "yield, alone in the pool", Rival: "tokio multi_thread", Unit: "ns/yield",
				Value: 41.5, Rounds: []float64{40, 41.5, 43.25},
			},
			{
				Workload: "BlockOn", Title: "one by one", Rival: "tokio multi_thread", Unit: "ns/section",
				Rounds: []float64{}, Note: "failed: no thread",
			},
		},
	}, report)
}

func TestOtherLinesAreRefused(t *testing.T) {
	for name, c := range map[string]struct{ lines, says string }{
		"not JSON":      {"{\"workload\":\"\",\"rival\":\"tokio\"}\nthread panicked", "line 2 "},
		"another shape": {`{"workload":"YieldLone","rival":"tokio","value":"fast"}`, "line 1 "},
		"no rival":      {`{"workload":"YieldLone","value":1}`, "names no rival"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := external.Parse(strings.NewReader(c.lines))
			require.ErrorContains(t, err, c.says)
		})
	}
}

func TestWithoutCargoTheRustRivalsAreLeftOut(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := external.Rust(context.Background(), external.Options{})
	require.ErrorIs(t, err, external.ErrNoCargo)
}

// TestTheProgramIsRun has a cargo that builds a program which prints its arguments as a note.
func TestTheProgramIsRun(t *testing.T) {
	bin, dir := t.TempDir(), t.TempDir()
	script(t, filepath.Join(bin, "cargo"), `mkdir -p "$5/release" && cat >"$5/release/lockstep-rivals" <<'END'
#!/bin/sh
echo "{\"workload\":\"A\",\"rival\":\"r\",\"value\":1,\"rounds\":[1],\"note\":\"$*\"}"
case "$*" in *nothing*) exit 3 ;; *broken*) exit 1 ;; esac
END
chmod +x "$5/release/lockstep-rivals"`)
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))

	report, err := external.Rust(context.Background(), external.Options{Dir: dir, Rounds: 3, Workers: 2, Only: "A|B", Cold: true, Short: true})
	require.NoError(t, err)
	require.Len(t, report.Results, 1)
	require.Equal(t, "--rounds=3 --workers=2 --only=A|B --cold --short", report.Results[0].Note)

	report, err = external.Rust(context.Background(), external.Options{Dir: dir, Only: "nothing"})
	require.NoError(t, err)
	require.Empty(t, report, "a row of the Go side's that Rust does not have is no error")

	_, err = external.Rust(context.Background(), external.Options{Dir: dir, Only: "broken"})
	require.ErrorContains(t, err, "measure the Rust rivals")

	script(t, filepath.Join(bin, "cargo"), "exit 101")
	_, err = external.Rust(context.Background(), external.Options{Dir: dir})
	require.ErrorContains(t, err, "build "+dir)

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = external.Rust(ctx, external.Options{Dir: dir})
	require.ErrorIs(t, err, context.Canceled)
}

func script(t *testing.T, path, body string) {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no shell here")
	}
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o755))
}
