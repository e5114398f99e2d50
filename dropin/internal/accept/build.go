package accept

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/lockstep-go/lockstep/dropin/rewrite"
)

// injected takes the place of the go keyword.
var injected = rewrite.Pool{Path: modulePath + "/target", Expr: "Go"}

// Rewritten is a suite after the rewriting.
type Rewritten struct {
	// Result says what was rewritten and what was left alone.
	Result *rewrite.Result

	bench    *bench
	overlay  string
	packages []testPackage
}

// testPackage is what go list says of a package with tests.
type testPackage struct {
	ImportPath, Dir, Name     string
	TestGoFiles, XTestGoFiles []string
}

// Rewrite replaces all go statements of a suite, tests included, and writes the overlay.
func (w *Workshop) Rewrite(ctx context.Context, s Suite) (*Rewritten, error) {
	b, err := w.bench(ctx, s)
	if err != nil {
		return nil, err
	}
	r := &Rewritten{bench: b}
	c := rewrite.Config{Dir: b.main, Pool: injected, Tests: true, Generated: true, KeepLines: true}
	if r.Result, err = rewrite.Packages(c, s.Module+"/..."); err != nil {
		return nil, err
	}
	if r.packages, err = b.list(ctx, s.Module+"/..."); err != nil {
		return nil, err
	}
	extra := map[string][]byte{}
	for _, p := range r.packages {
		// An external test may import what imports the package, which is how errgroup gets a
		// pool that is built on errgroup.
		text := fmt.Sprintf("package %s_test\n\nimport _ %q\n", p.Name, modulePath+"/target/onpool")
		extra[filepath.Join(p.Dir, "zz_lockstep_dropin_test.go")] = []byte(text)
	}
	r.overlay, err = r.Result.WriteOverlay(filepath.Join(b.dir, "overlay"), extra)
	return r, err
}

// list returns the packages that have tests.
func (b *bench) list(ctx context.Context, pattern string) ([]testPackage, error) {
	out, err := b.goCommand(ctx, "list", "-json=ImportPath,Dir,Name,TestGoFiles,XTestGoFiles", pattern)
	if err != nil {
		return nil, err
	}
	var packages []testPackage
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p testPackage
		switch err := dec.Decode(&p); {
		case errors.Is(err, io.EOF):
			return packages, nil
		case err != nil:
			return nil, err
		}
		if len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 {
			packages = append(packages, p)
		}
	}
}

// Binaries are the test binaries of a suite.
type Binaries struct {
	rewritten *Rewritten
	paths     []string // in the order of rewritten.packages
	args      []string // for each, in tests of this package
}

// Build compiles the suite's tests with go test -c -overlay. One set of binaries does for all cells, because
// the pool behind it is chosen by the environment.
func (r *Rewritten) Build(ctx context.Context, race bool) (*Binaries, error) {
	b := &Binaries{rewritten: r}
	for i, p := range r.packages {
		name := filepath.Join(r.bench.dir, fmt.Sprintf("%02d_%s_race=%t.test.exe", i, p.Name, race))
		args := []string{"test", "-c", "-overlay", r.overlay, "-o", name}
		if race {
			args = append(args, "-race")
		}
		if _, err := r.bench.goCommand(ctx, append(args, p.ImportPath)...); err != nil {
			return nil, err
		}
		b.paths = append(b.paths, name)
	}
	return b, nil
}
