package workload

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"go.uber.org/atomic"
)

// RealHash is a task for each file of the Go source tree, which reads and hashes it. The files are in the page cache
// after the warm-up. A repetition is a file.
var RealHash = realRow("RealHash", "SHA-256 of the files of the Go source tree, a task each", "ns/file", func(e *Env, n int) {
	files, err := sourceFiles()
	verify(err == nil, "no Go source tree: %v", err)
	var failed atomic.Error
	var sum atomic.Uint64
	done, wait := e.tracked(n)
	for i := range n {
		path := files[i%len(files)]
		e.Pool.Go(func() {
			digest, err := hashFile(path)
			if err != nil {
				failed.Store(err)
			}
			sum.Add(digest)
			e.count(1)
			if done != nil {
				done()
			}
		})
	}
	wait()
	verify(failed.Load() == nil, "hash: %v", failed.Load())
	verify(sum.Load() == expectedHash(files, n), "hash: wrong sum")
}).sized(5_000, 200, 1, 0)

// sourceFiles lists the files of the Go source tree, once.
var sourceFiles = sync.OnceValues(func() ([]string, error) {
	out, err := exec.CommandContext(context.Background(), "go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOROOT: %w", err)
	}
	root := filepath.Join(strings.TrimSpace(string(out)), "src")
	var files []string
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			files = append(files, path)
		}
		return err
	})
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s has no files", root)
	}
	slices.Sort(files)
	return files, err
})

// hashFile returns the first eight bytes of a file's SHA-256.
func hashFile(path string) (uint64, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return 0, fmt.Errorf("%s: %w", path, err)
	}
	return binary.BigEndian.Uint64(h.Sum(nil)), nil
}

var (
	hashesMu sync.Mutex
	hashes   []uint64
)

// expectedHash is the sum over n files, hashed one after the other the first time that they are asked for.
func expectedHash(files []string, n int) uint64 {
	hashesMu.Lock()
	defer hashesMu.Unlock()
	for i := len(hashes); i < min(n, len(files)); i++ {
		digest, err := hashFile(files[i])
		verify(err == nil, "hash: %v", err)
		hashes = append(hashes, digest)
	}
	var sum uint64
	for i := range n {
		sum += hashes[i%len(files)]
	}
	return sum
}
