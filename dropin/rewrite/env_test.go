package rewrite_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func at(file string, line int) string { return fmt.Sprintf("%s:%d", filepath.Base(file), line) }

// hasCgo reports whether the go command can build packages that use C.
func hasCgo(t *testing.T) bool {
	out, err := exec.Command("go", "env", "CGO_ENABLED", "CC").Output()
	require.NoError(t, err)
	fields := strings.Fields(string(out))
	if len(fields) < 2 || fields[0] != "1" {
		return false
	}
	_, err = exec.LookPath(fields[1])
	return err == nil
}
