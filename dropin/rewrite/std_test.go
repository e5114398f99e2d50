package rewrite_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"

	"github.com/lockstep-go/lockstep/dropin/rewrite"
)

// TestStressStandardLibrary rewrites go statements that nobody wrote for this tool, in both forms, and
// type-checks the result: net/http, or with LOCKSTEP_STRESS all packages with their tests.
func TestStressStandardLibrary(t *testing.T) {
	if testing.Short() {
		t.Skip("it type-checks large packages")
	}
	// The standard library cannot import a pool, but a literal is a function too.
	c := rewrite.Config{Pool: rewrite.Pool{Expr: "(func(f func()) { f() })"}, Generated: true}
	pattern, least := "net/http", 30
	if os.Getenv("LOCKSTEP_STRESS") != "" {
		c.Tests, pattern, least = true, "std", 900
	}
	for _, c.KeepLines = range []bool{true, false} {
		r, err := rewrite.Packages(c, pattern)
		require.NoError(t, err)
		rewritten, left := r.Count()
		require.Greater(t, rewritten, least)
		require.Less(t, left, rewritten/10)
		overlay := map[string][]byte{}
		for _, f := range r.Files {
			if f.Changed() {
				overlay[f.Name] = f.After
			}
		}
		// From source throughout: Verify would compile what depends on the changed packages.
		loaded, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax, Tests: c.Tests, Overlay: overlay}, pattern)
		require.NoError(t, err)
		packages.Visit(loaded, nil, func(p *packages.Package) { require.Empty(t, p.Errors, p.ID) })
	}
}
