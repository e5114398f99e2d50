package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// input is the list of files the bulk work goes over, again and again until a mode's time is up.
type input struct {
	dir     string
	files   []string
	bytes   int64
	skipped int  // files that could not be read
	cut     bool // there was more than -limit
}

func (in *input) String() string {
	s := fmt.Sprintf("%d files, %.0f MB in %s", len(in.files), float64(in.bytes)/1e6, in.dir)
	if in.bytes < 1_000_000 {
		s = fmt.Sprintf("%d files, %.1f kB in %s", len(in.files), float64(in.bytes)/1e3, in.dir)
	}
	if in.cut {
		s += " (cut at -limit)"
	}
	if in.skipped > 0 {
		s += fmt.Sprintf(" (%d unreadable files left out)", in.skipped)
	}
	return s
}

// loadInput walks the directory and reads every file once. Reading puts the files into the page cache, without
// which the first mode would pay for the disk and the others would not. The files are then shuffled with a
// fixed seed: every mode starts with the same files, and a short mode sees the same mixture as a long one.
func loadInput(ctx context.Context, cfg *config, show *progress) (*input, error) {
	dir := cfg.dir
	if dir == "" {
		var err error
		if dir, err = goSource(ctx); err != nil {
			return nil, err
		}
	}
	st, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, usagef("there is no directory %s; name one with files to compress", dir)
	case err != nil:
		return nil, usagef("%v; name a directory you may read", err)
	case !st.IsDir():
		return nil, usagef("%s is not a directory; name the directory it is in: %s", dir, filepath.Dir(dir))
	}
	in := &input{dir: dir}
	buf := make([]byte, 256<<10)
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			in.skipped++
			if e != nil && e.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if !e.Type().IsRegular() {
			return nil
		}
		return in.add(path, buf, cfg.limit, show)
	})
	show.done()
	if err != nil && !errors.Is(err, fs.SkipAll) {
		return nil, err
	}
	if in.bytes == 0 {
		return nil, fmt.Errorf("%s holds no file with anything in it that can be read (%d left out); name a directory with some megabytes of files", dir, in.skipped)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	rng.Shuffle(len(in.files), func(i, j int) { in.files[i], in.files[j] = in.files[j], in.files[i] })
	return in, nil
}

// add reads one file to its end and puts it on the list.
func (in *input) add(path string, buf []byte, limit int64, show *progress) error {
	f, err := os.Open(path)
	if err != nil {
		in.skipped++
		return nil
	}
	defer f.Close()
	n, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, io.LimitReader(f, limit-in.bytes), buf)
	if err != nil {
		in.skipped++
		return nil
	}
	if n == 0 {
		return nil
	}
	in.files = append(in.files, path)
	in.bytes += n
	if len(in.files)%512 == 0 {
		show.live("reading %s: %d files, %.0f MB", in.dir, len(in.files), float64(in.bytes)/1e6)
	}
	if in.bytes >= limit {
		in.cut = true
		return fs.SkipAll
	}
	return nil
}

// goSource asks the go command where its source tree is.
func goSource(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	root := strings.TrimSpace(string(out))
	if err != nil || root == "" {
		return "", usagef("no Go source tree was found through the go command; name a directory with files to compress")
	}
	return filepath.Join(root, "src"), nil
}
