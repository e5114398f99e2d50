package lockstep_test

import (
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The table of faults has a row for each recipe, each row names tests that exist, and every test named after a recipe is in its row.
func TestFaultTableNamesTheTests(t *testing.T) {
	exists := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Benchmark)\w+)\(`)
	require.NoError(t, fs.WalkDir(os.DirFS("."), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		src, err := os.ReadFile(path)
		for _, m := range declared.FindAllStringSubmatch(string(src), -1) {
			exists[m[1]] = true
		}
		return err
	}))
	text, err := os.ReadFile("docs/faults.md")
	require.NoError(t, err)
	rows := map[string]string{}
	for line := range strings.SplitSeq(string(text), "\n") {
		if number, row, ok := strings.Cut(strings.TrimPrefix(line, "| "), " |"); ok && strings.HasPrefix(number, "D") {
			rows[number] = row
		}
	}
	require.Len(t, rows, 32)
	named := regexp.MustCompile("`((?:Test|Benchmark)\\w+)`")
	for n := range 32 {
		number := fmt.Sprintf("D%02d", n+1)
		own := 0
		for _, m := range named.FindAllStringSubmatch(rows[number], -1) {
			require.True(t, exists[m[1]], "%s names %s, which does not exist", number, m[1])
			if strings.HasPrefix(m[1], "Test"+number) {
				own++
			}
		}
		require.Positive(t, own, "%s has no test of its name", number)
	}
	for name := range exists {
		if m := regexp.MustCompile(`^TestD\d\d`).FindString(name); m != "" {
			require.Contains(t, rows[m[4:]], "`"+name+"`", "docs/faults.md does not name it")
		}
	}
}
