package steptest_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep"
	"github.com/lockstep-go/lockstep/steptest"
)

// withoutTimes takes out of a report what is different each time.
func withoutTimes(s string) string {
	s = regexp.MustCompile(`schedules in [^,]*,`).ReplaceAllString(s, "schedules,")
	s = regexp.MustCompile(`(?s)\n    stack:\n.*?\n\n`).ReplaceAllString(s, "\n")
	return regexp.MustCompile(`0x[0-9a-f]+`).ReplaceAllString(s, "0x")
}

// inDir runs the body as a test of that name in a directory of its own, where the corpus is.
func inDir(t *testing.T, dir, name string, body func(*steptest.T), opts ...steptest.Option) *recorded {
	t.Helper()
	t.Chdir(dir)
	r := &recorded{name: name}
	done := make(chan struct{})
	go func() {
		defer close(done)
		steptest.Run(r, body, opts...)
	}()
	<-done
	return r
}

// racy fails in the schedules in which the task comes first.
func racy(t *steptest.T) {
	n := 0
	lockstep.Go(func() { n++ })
	t.Point("between")
	require.Zero(t, n)
}

// A failing schedule is kept, under the name of its subtest, and is the first one in the next run.
func TestCorpus(t *testing.T) {
	dir := t.TempDir()
	r := inDir(t, dir, `TestX/with_a_"name"/#01`, racy)
	require.True(t, r.failed)
	files, err := filepath.Glob("testdata/steptest/*/*")
	require.NoError(t, err)
	require.Len(t, files, 1)
	require.Equal(t, "testdata/steptest/TestX_with_a__name__#01", filepath.Dir(files[0]))
	require.Contains(t, r.text, "kept:    "+files[0])
	require.Contains(t, r.text, `replay:  go test -run '^TestX$/^with_a_"name"$/^#01$' -steptest.replay=s1n:`)
	b, err := os.ReadFile(files[0])
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(b), "# failure: "), string(b))

	r = inDir(t, dir, `TestX/with_a_"name"/#01`, racy)
	require.Contains(t, r.text, "steptest: failure in the schedule of "+files[0])

	r = inDir(t, dir, `TestX/with_a_"name"/#01`, racy, steptest.NoCorpus())
	require.NotContains(t, r.text, "in the schedule of")

	r = inDir(t, dir, `TestX/with_a_"name"/#01`, func(*steptest.T) {})
	require.False(t, r.failed, "it is mended, and the schedule does not fit any more: %s", r.text)
}

// A file of the corpus that cannot be read says so, and does not go unnoticed.
func TestDamagedCorpus(t *testing.T) {
	for text, says := range map[string]string{
		"":                              "there is no token in the file",
		"# only words\n":                "there is no token in the file",
		"s1n:!!":                        "is damaged",
		"s1x:AA":                        "is damaged",
		"s1n":                           "is damaged",
		"s1n:AA":                        "is damaged", // a run of zeros without its length
		"s0n:AAEB":                      "is no token of this version, which begin with s1",
		"go test fuzz v1\n[]byte(\"\")": "is no token of this version",
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, "testdata", "steptest", "TestX", "failure-1")
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o777))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
		r := inDir(t, dir, "TestX", func(*steptest.T) {})
		require.True(t, r.failed, "%q", text)
		require.Contains(t, r.text, says, "%q", text)
		require.Contains(t, r.text, filepath.Join("testdata", "steptest", "TestX", "failure-1"))
	}
}

// replayed runs one token.
func replayed(token string, body func(*steptest.T)) *recorded {
	r := &recorded{name: "TestX"}
	done := make(chan struct{})
	go func() {
		defer close(done)
		steptest.Replay(r, token, body)
	}()
	<-done
	return r
}

// The token that is printed leads to the same failure, and to nothing in another program.
func TestReplay(t *testing.T) {
	r := outcome("TestX", racy)
	token := regexp.MustCompile(`-steptest.replay=(\S+)`).FindStringSubmatch(r.text)[1]
	again := replayed(token, racy)
	require.True(t, again.failed)
	require.Contains(t, again.text, "steptest: failure in the replayed schedule")
	require.Contains(t, again.text, "between  corpus_test.go:")

	mended := replayed(token, func(t *steptest.T) { t.Point("") })
	require.False(t, mended.failed, mended.text)
	strayed := replayed("s1n:CQkJ", racy)
	require.Contains(t, strayed.text, "in the replayed schedule, which does not fit the program any more")
	strayed = replayed("s1n:AQkJ", func(t *steptest.T) { lockstep.Go(func() {}); t.Point("") })
	require.Contains(t, strayed.logs, "the schedule does not fit the program any more; it has not failed")
	strayed = replayed("s1n:AAcB", func(t *steptest.T) { lockstep.Go(func() {}); t.Point("") })
	require.Contains(t, strayed.logs, "the schedule does not fit the program any more; it has not failed", "it has more choices")
	for _, wrong := range []string{"", "s1n", "s1n:A", "s2n:AAEB", "no/such/file"} {
		r := replayed(wrong, racy)
		require.True(t, r.failed, wrong)
		require.Contains(t, r.text, "steptest: ", wrong)
	}
	file := filepath.Join(t.TempDir(), "pinned")
	require.NoError(t, os.WriteFile(file, []byte("# a note\n\n"+token+"\n"), 0o666))
	require.True(t, replayed(file, racy).failed)
}
