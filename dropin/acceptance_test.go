package dropin_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep/dropin/internal/accept"
)

// TestAcceptance is the short form of the acceptance command: the suites that take seconds, on the pools that
// are most likely to get stuck.
func TestAcceptance(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds and runs the tests of other packages")
	}
	shop, err := accept.NewWorkshop(t.TempDir())
	require.NoError(t, err)
	var quick []accept.Suite
	for _, s := range accept.Suites {
		if s.Quick {
			quick = append(quick, s)
		}
	}
	m := accept.Matrix{Modes: []string{accept.Locked, accept.Floating}, Workers: []int{1, 2}, Rounds: 1, Timeout: 2 * time.Minute}
	var progress strings.Builder
	outcomes, err := accept.All(t.Context(), shop, quick, m, &progress)
	t.Log("\n" + progress.String() + "\n" + accept.Table(outcomes))
	require.NoError(t, err)
	require.Len(t, outcomes, len(quick)*(1+len(m.Modes)*len(m.Workers)))
	require.Empty(t, accept.Failed(outcomes))
}
