package gid_test

import (
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep/internal/gid"
)

//go:noinline
func spawn(f func()) uint32 {
	pc := gid.CallerPC()
	f()
	return gid.Site(pc)
}

func TestSiteNamesTheCallersLine(t *testing.T) {
	if !gid.Supported {
		t.Skip("no assembly for this architecture")
	}
	_, file, line, _ := runtime.Caller(0)
	site := spawn(func() {})
	f, ok := gid.Frame(site)
	require.True(t, ok)
	require.Equal(t, file, f.File)
	require.Equal(t, line+1, f.Line)
}

func TestSiteOfUnknownCode(t *testing.T) {
	require.Equal(t, gid.UnknownSite, gid.Site(0))
	require.Equal(t, gid.UnknownSite, gid.Site(^uintptr(0)>>1))
	_, ok := gid.Frame(gid.UnknownSite)
	require.False(t, ok)
}

func TestGetIsStableAndDistinct(t *testing.T) {
	if !gid.Supported {
		t.Skip("no assembly for this architecture")
	}
	var mu sync.Mutex
	seen := map[uintptr]bool{}
	var wg, all sync.WaitGroup
	all.Add(50)
	for range 50 {
		wg.Go(func() {
			g := gid.Get()
			mu.Lock()
			seen[g] = true
			mu.Unlock()
			all.Done()
			all.Wait() // all goroutines live at once
			deep(200)
			runtime.GC()
			if gid.Get() != g {
				t.Error("identity changed")
			}
		})
	}
	wg.Wait()
	require.Len(t, seen, 50)
	require.False(t, seen[0])
}

func deep(n int) int {
	var pad [512]byte
	if n == 0 {
		return int(pad[0])
	}
	return deep(n-1) + int(pad[n%512])
}

func BenchmarkGet(b *testing.B) {
	for b.Loop() {
		gid.Get()
	}
}

func BenchmarkSite(b *testing.B) {
	f := func() {}
	for b.Loop() {
		spawn(f)
	}
}
