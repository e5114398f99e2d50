package steptest_test

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// A test whose body leaves goroutines behind for ever runs this binary again, with childEnv set and -test.run for itself.
const childEnv = "STEPTESTS_CHILD"

func TestMain(m *testing.M) {
	// Many bodies here count what happens in plain variables, since tasks run one at a time. Those of race_test.go are looked at.
	_ = flag.Set("steptest.races", "false")
	if os.Getenv(childEnv) != "" {
		os.Exit(m.Run())
	}
	// Importing ants starts these two before main.
	goleak.VerifyTestMain(m,
		goleak.IgnoreAnyFunction("github.com/panjf2000/ants/v2.(*poolCommon).purgeStaleWorkers"),
		goleak.IgnoreAnyFunction("github.com/panjf2000/ants/v2.(*poolCommon).ticktock"))
}

// inChild reports whether the test is to be run here: in a child process of its own.
func inChild(name string) bool { return os.Getenv(childEnv) == name }

// child runs the tests of that pattern in a process of its own, in dir, and returns its exit status and what it wrote.
func child(t *testing.T, name, dir string, args ...string) (code int, out string) {
	t.Helper()
	exe, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(exe, append([]string{"-test.run=" + name, "-test.timeout=60s"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), childEnv+"="+name)
	var b bytes.Buffer
	cmd.Stdout, cmd.Stderr = &b, &b
	err = cmd.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		require.NoError(t, err)
	}
	return cmd.ProcessState.ExitCode(), b.String()
}
