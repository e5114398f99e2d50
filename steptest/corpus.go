package steptest

import (
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// corpusDir is where failing schedules are kept, beside the test, as the fuzzer of package testing does it.
func corpusDir(test string) string {
	name := strings.Map(func(r rune) rune {
		if r == '/' || r == os.PathSeparator || r < ' ' || strings.ContainsRune(`\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, test)
	return filepath.Join("testdata", "steptest", name)
}

// pinnedFiles returns the files that are kept for a test.
func pinnedFiles(test string) []string {
	entries, err := os.ReadDir(corpusDir(test))
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		if e.Type().IsRegular() && !strings.HasPrefix(e.Name(), ".") {
			names = append(names, filepath.Join(corpusDir(test), e.Name()))
		}
	}
	slices.Sort(names)
	return names
}

// pin keeps a failing schedule.
func pin(test string, f *failure) (string, error) {
	dir := corpusDir(test)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	token := f.token()
	h := fnv.New32a()
	_, _ = h.Write([]byte(token))
	name := filepath.Join(dir, fmt.Sprintf("%s-%08x", strings.ReplaceAll(string(f.kind), " ", "-"), h.Sum32()))
	text := fmt.Sprintf("# %s: %s\n# The schedule is tried first in each run of the test. Delete the file when it is of no use any more.\n%s\n", f.kind, firstLine(f.text), token)
	return name, os.WriteFile(name, []byte(text), 0o666)
}

// readPinned reads a file of the corpus.
func readPinned(name string) (schedule, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return schedule{}, err
	}
	return parsePinned(b)
}
