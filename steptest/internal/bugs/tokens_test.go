//go:build !race

package bugs_test

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep/steptest"
	"github.com/lockstep-go/lockstep/steptest/internal/bugs"
)

var storeTokens = flag.Bool("bugs.store", false, "write the tokens that TestStoredTokens replays anew, for a new version of tokens")

var tokensFile = filepath.Join("testdata", "tokens.txt")

// What was found once is found by its token for as long as tokens have the same version. Who changes where points are, or the order of
// choices, has to change the version, so that old tokens are refused and do not lead elsewhere.
func TestStoredTokens(t *testing.T) {
	if *storeTokens {
		writeTokens(t)
	}
	f, err := os.Open(tokensFile)
	require.NoError(t, err)
	defer func() { _ = f.Close() }()
	tokens := map[string]string{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if name, token, ok := strings.Cut(lines.Text(), " "); ok {
			tokens[name] = token
		}
	}
	each(t, func(t *testing.T, p bugs.Program) {
		require.Contains(t, tokens, p.Name, "store the tokens with -bugs.store")
		r := recorded(p.Name, func(t steptest.TB) {
			steptest.Replay(t, tokens[p.Name], p.Buggy, append(p.Options(), steptest.NoCorpus())...)
		})
		require.Equal(t, p.Kind, r.kind(), r.text)
	})
}

func writeTokens(t *testing.T) {
	var b strings.Builder
	each(t, func(t *testing.T, p bugs.Program) {
		r := steptest.Search(p.Name, p.Buggy, limits(&p, capOf(&p), 1)...)
		require.True(t, r.Failed)
		fmt.Fprintf(&b, "%s %s\n", p.Name, r.Token)
	})
	require.NoError(t, os.WriteFile(tokensFile, []byte(b.String()), 0o600))
}
