package tasksync_test

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// go vet, which users run, finds a copy of each type.
func TestVetFindsCopies(t *testing.T) {
	out, err := exec.Command("go", "vet", "-copylocks", "./testdata/copies").CombinedOutput()
	require.Error(t, err, "vet is content")
	for _, name := range []string{"Mutex", "RWMutex", "Semaphore", "Cond", "WaitGroup", "Once"} {
		require.Regexp(t, `assignment copies lock value to \w+: [^\n]*tasksync\.`+name+`\b`, string(out))
	}
}
