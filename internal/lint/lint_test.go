package lint

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// root is the module's root as seen from this package's folder, where go test
// runs its tests.
const root = "../.."

// TestRepository runs every rule over the repository itself.
func TestRepository(t *testing.T) {
	tree := loadRepository(t)
	for _, v := range run(tree) {
		t.Error(v)
	}
}

// TestLinkedPackages freezes what a program links by importing lockstep. A
// test helper that slips into a library file would show up here. The packages
// beside the root may link less, never more.
func TestLinkedPackages(t *testing.T) {
	require.Equal(t, linked, outsiders(goListDeps(t, modulePath)))
	for _, p := range loadRepository(t).userPackages() {
		require.Subset(t, linked, outsiders(goListDeps(t, p)), "linked by %s", p)
	}
}

// loadRepository also makes sure that it read the repository, since rules that
// see no files find nothing wrong.
func loadRepository(t *testing.T) *tree {
	t.Helper()
	mod, err := os.ReadFile(root + "/go.mod")
	require.NoError(t, err)
	require.Contains(t, string(mod), "module "+modulePath+"\n")
	tree, err := load(os.DirFS(root))
	require.NoError(t, err)
	for _, want := range []string{"internal/lint/lint_test.go", ".ci/run", "doc.go"} {
		require.True(t, slices.ContainsFunc(tree.files, func(f *file) bool { return f.path == want }), "%s was not read", want)
	}
	require.Contains(t, tree.modules, "tools")
	return tree
}

func goListDeps(t *testing.T, pkg string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", pkg)
	cmd.Dir = root
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, stderr.String())
	return string(out)
}
