package main

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestMain lets the test's binary be its own load generator, as the program's binary is.
func TestMain(m *testing.M) {
	if os.Getenv(clientEnv) != "" {
		os.Exit(clientMain(os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

func TestEveryModeEndToEnd(t *testing.T) {
	for _, c := range []struct{ client, list, rounds string }{
		{clientInside, "all", "2"},
		{clientProcess, "plain,two,two+spare", "1"}, // a process built with -race takes a second to end
	} {
		client, list, rounds := c.client, c.list, c.rounds
		t.Run(client, func(t *testing.T) {
			modes, err := parseModes(list)
			require.NoError(t, err)
			procs := runtime.GOMAXPROCS(0)
			plot := filepath.Join(t.TempDir(), "plot.svg")
			cfg, err := parseFlags([]string{
				"-client", client, "-duration=100ms", "-warmup=20ms", "-rounds", rounds, "-rate=200", "-conns=8", "-bulk=4",
				"-modes", list, "-plot", plot, "testdata",
			}, io.Discard)
			require.NoError(t, err)
			cfg.slack = time.Hour // how loaded the machine is that runs the tests is no matter here
			var out bytes.Buffer
			require.NoError(t, measure(t.Context(), cfg, &out))
			require.Equal(t, procs, runtime.GOMAXPROCS(0))
			svg, err := os.ReadFile(plot)
			require.NoError(t, err)
			wellFormed(t, svg)
			for _, m := range modes {
				require.Regexp(t, `(?m)^\[\d+/\d+\] +`+regexp.QuoteMeta(m.name)+" ", out.String())
				require.Contains(t, out.String(), m.label+" ")
				require.Contains(t, string(svg), ">"+m.label+"<")
			}
			require.Contains(t, out.String(), "verdict  two+spare, urgent p99 against plain")
			require.Contains(t, out.String(), "verdict  two, bulk throughput against plain")
			require.NotContains(t, out.String(), "\x1b", "no terminal, no escape sequences")
		})
	}
}

func TestExitStatus(t *testing.T) {
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer busy.Close()
	empty := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(empty, "nothing"), nil, 0o600))
	for name, c := range map[string]struct {
		args []string
		code int
		says string
	}{
		"help":           {[]string{"-h"}, 0, "-duration"},
		"unknown flag":   {[]string{"-speed=9"}, 2, "lists the flags"},
		"unknown mode":   {[]string{"-modes=plain,fast"}, 2, `unknown mode "fast"; the modes are plain, `},
		"busy port":      {[]string{"-addr", busy.Addr().String()}, 1, "take any free one with -addr=127.0.0.1:0"},
		"no directory":   {[]string{filepath.Join(empty, "gone")}, 2, "there is no directory"},
		"a file":         {[]string{filepath.Join(empty, "nothing")}, 2, "name the directory it is in: " + empty},
		"no input":       {[]string{empty}, 1, "holds no file with anything in it"},
		"no plot folder": {[]string{"-plot", filepath.Join(empty, "x", "y.svg")}, 2, "there is no directory"},
		"plot is folder": {[]string{"-plot", empty}, 2, "is a directory; name a file"},
	} {
		t.Run(name, func(t *testing.T) {
			var stderr strings.Builder
			require.Equal(t, c.code, run(t.Context(), c.args, io.Discard, &stderr))
			require.Contains(t, stderr.String(), c.says)
		})
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, client := range []string{clientProcess, clientInside} {
		var stderr strings.Builder
		require.Equal(t, 1, run(ctx, []string{"-client", client, "-plot=", "testdata"}, io.Discard, &stderr))
		require.Equal(t, "mixedload: interrupted\n", stderr.String())
	}
}

// wellFormed reads all of a document with a strict parser.
func wellFormed(t *testing.T, doc []byte) {
	t.Helper()
	for d := xml.NewDecoder(bytes.NewReader(doc)); ; {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err)
	}
}
