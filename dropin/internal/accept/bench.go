package accept

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

const (
	modulePath = "github.com/lockstep-go/lockstep/dropin" // this module's
	rootPath   = "github.com/lockstep-go/lockstep"
)

// Workshop builds test binaries. Make one with NewWorkshop.
type Workshop struct {
	module string // folder of this module
	dir    string
}

// NewWorkshop returns a workshop that keeps its files below dir. It needs the go command, and a current
// folder inside this module.
func NewWorkshop(dir string) (*Workshop, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", modulePath).Output()
	if err != nil {
		return nil, fmt.Errorf("run this inside the folder of the module %s", modulePath)
	}
	dir, err = filepath.Abs(dir)
	return &Workshop{module: string(bytes.TrimSpace(out)), dir: dir}, err
}

// bench is a main module in which one suite is built. The go command refuses overlays of files in
// its module cache, so the suite's module is copied, unchanged, and stands in for itself.
type bench struct {
	dir  string
	main string // folder of the main module
}

func (w *Workshop) bench(ctx context.Context, s Suite) (*bench, error) {
	b := &bench{dir: filepath.Join(w.dir, path.Base(s.Name)), main: w.module}
	out, err := b.goCommand(ctx, "mod", "download", "-json", s.Module)
	if err != nil {
		return nil, err
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(out, &module); err != nil {
		return nil, err
	}
	out, err = b.goCommand(ctx, "list", "-m", "-f", "{{.Dir}}", rootPath)
	if err != nil {
		return nil, err
	}
	root := strings.TrimSpace(string(out))

	source := filepath.Join(b.dir, "module")
	if err := os.RemoveAll(source); err != nil {
		return nil, err
	}
	if err := copyTree(source, module.Dir); err != nil {
		return nil, err
	}
	b.main = filepath.Join(b.dir, "main")
	if err := os.MkdirAll(b.main, 0o755); err != nil {
		return nil, err
	}
	// The requirements, and so all versions, are this module's.
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(w.module, name))
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(b.main, name), text, 0o644); err != nil {
			return nil, err
		}
	}
	_, err = b.goCommand(ctx, "mod", "edit", "-module=example.com/acceptance",
		"-require="+modulePath+"@v0.0.0", "-replace="+modulePath+"="+w.module,
		"-replace="+rootPath+"="+root, "-replace="+s.Module+"="+source)
	return b, err
}

// copyTree copies a folder of the module cache, without its write protection.
func copyTree(to, from string) error {
	return filepath.WalkDir(from, func(name string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), text, 0o644)
	})
}

func (b *bench) goCommand(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = b.main
	cmd.Env = append(os.Environ(), "PWD="+b.main, "GOWORK=off")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, errs.Bytes())
	}
	return out, nil
}
