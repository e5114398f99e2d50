package main

import (
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestDefaults(t *testing.T) {
	cfg, err := parseFlags(nil, io.Discard)
	require.NoError(t, err)
	require.Len(t, cfg.modes, len(defaultModes))
	require.Equal(t, 300*time.Millisecond, cfg.warmup)
	require.Equal(t, [2]int{1000, 100}, cfg.shares)
	require.Equal(t, clientProcess, cfg.client)
	require.GreaterOrEqual(t, cfg.bulk, 4*cfg.procs)
	require.Empty(t, cfg.dir)
}

func TestBadFlags(t *testing.T) {
	for _, c := range []struct {
		args []string
		says []string
	}{
		{[]string{"-rate=0"}, []string{"-rate=0: choose 1 to"}},
		{[]string{"-rate=2000000"}, []string{"-rate=2000000: choose"}},
		{[]string{"-rate=1000000", "-duration=1h"}, []string{"too many requests"}},
		{[]string{"-rate=1", "-duration=100ms", "-warmup=0", "-rounds=2"}, []string{"no request at all"}},
		{[]string{"-duration=1ms", "-warmup=-1s"}, []string{"-duration=1ms: choose", "-warmup=-1s: choose"}},
		{[]string{"-conns=0", "-bulk=-1", "-latency=0"}, []string{"-conns=0", "-bulk=-1", "-latency=0s"}},
		{[]string{"-rounds=0"}, []string{"-rounds=0: choose"}},
		{[]string{"-rounds=3", "-duration=100ms"}, []string{"-rounds=3 leave less than 50ms"}},
		{[]string{"-client=remote"}, []string{"choose process or inside"}},
		{[]string{"-addr=8080"}, []string{"write it as 127.0.0.1:8080"}},
		{[]string{"-addr=0.0.0.0:80"}, []string{"only loopback"}},
		{[]string{"-addr=:80"}, []string{"only loopback"}},
		{[]string{"-addr=127.0.0.1:http"}, []string{"the port is a number"}},
		{[]string{"-addr=127.0.0.1:70000"}, []string{"the port is a number"}},
		{[]string{"-modes="}, []string{`unknown mode ""`}},
		{[]string{"-modes=two,two"}, []string{"two is named twice"}},
		{[]string{"-shares=1000"}, []string{"write urgent:bulk"}},
		{[]string{"-shares=0:1"}, []string{"write urgent:bulk"}},
		{[]string{"-shares=1:1:1"}, []string{"write urgent:bulk"}},
		{[]string{"-limit=0"}, []string{"-limit: choose"}},
		{[]string{"a", "b"}, []string{"one directory at most"}},
		{[]string{"a", "-rate=1"}, []string{"flags go before the directory"}},
		{[]string{"-rate=0", "-modes=no", "-shares=x"}, []string{"-rate=0", "unknown mode", "-shares=x"}},
	} {
		_, err := parseFlags(c.args, io.Discard)
		require.Error(t, err, c.args)
		require.IsType(t, &usageError{}, err, c.args)
		for _, text := range c.says {
			require.ErrorContains(t, err, text, c.args)
		}
	}
}

func TestGoodFlags(t *testing.T) {
	cfg, err := parseFlags([]string{"-addr=[::1]:0", "-modes=two, plain+spare", "-warmup=0", "-shares=3:4", "-limit=1", "dir"}, io.Discard)
	require.NoError(t, err)
	require.Equal(t, "two", cfg.modes[0].name)
	require.True(t, cfg.modes[1].spare)
	require.Zero(t, cfg.warmup)
	require.Equal(t, [2]int{3, 4}, cfg.shares)
	require.EqualValues(t, 1_000_000, cfg.limit)
	require.Equal(t, "dir", cfg.dir)
}

func TestDefaultModesExist(t *testing.T) {
	for _, name := range defaultModes {
		require.NotNil(t, findMode(name), name)
	}
}
