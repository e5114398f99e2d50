package queue_test

import (
	"runtime"
	"testing"
	"unsafe"
	"weak"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/lockstep-go/lockstep/queue"
)

func nop() {}

// numbered is an entry that tests tell by its age.
func numbered(n int, site uint32) queue.Task {
	return queue.Task{Fn: nop, Site: site, Age: uint32(n)}
}

// sites are the kinds of entries; only the last two may move to another worker.
var sites = []uint32{queue.Started, queue.Pinned, queue.Pinned | queue.Handled | 7, 1, queue.Handled}

func TestStealable(t *testing.T) {
	for i, site := range sites {
		require.Equal(t, i >= 3, queue.Task{Fn: nop, Site: site}.Stealable(), "site %#x", site)
	}
	require.Equal(t, ^uint32(0), queue.SiteMask|queue.Pinned|queue.Handled, "the marks and the site fill the word")
	require.Zero(t, queue.SiteMask&(queue.Pinned|queue.Handled))
}

// TestTaskSize: the memory of a queued task is a promise of the library's.
func TestTaskSize(t *testing.T) {
	require.LessOrEqual(t, unsafe.Sizeof(queue.Task{}), uintptr(16))
}

// TestFIFOAgainstSlice checks two lists with a common cache against slices, under every
// operation there is: splices, copies, holes, and segments going round.
func TestFIFOAgainstSlice(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		var f [2]queue.FIFO
		var c queue.Cache
		var want [2][]queue.Task
		pushed := 0
		pick := func() int { return rapid.IntRange(0, 1).Draw(r, "list") }
		count := rapid.OneOf(rapid.IntRange(1, 5), rapid.IntRange(queue.CopyBelow-1, queue.CopyBelow+1), rapid.IntRange(1, 3*queue.SegmentTasks))
		r.Repeat(map[string]func(*rapid.T){
			"push": func(r *rapid.T) {
				i := pick()
				for range count.Draw(r, "n") {
					pushed++
					x := numbered(pushed, rapid.SampledFrom(sites).Draw(r, "site"))
					f[i].Push(&c, x)
					want[i] = append(want[i], x)
				}
			},
			"pop": func(r *rapid.T) {
				i := pick()
				for range count.Draw(r, "n") {
					x, ok := f[i].Pop(&c)
					require.Equal(r, len(want[i]) > 0, ok)
					if !ok {
						require.Nil(r, x.Fn)
						break
					}
					requireSame(r, want[i][0], x)
					want[i] = want[i][1:]
				}
			},
			"append": func(r *rapid.T) {
				i := pick()
				f[i].Append(&c, &f[1-i])
				want[i], want[1-i] = append(want[i], want[1-i]...), nil
			},
			"steal": func(r *rapid.T) {
				i := pick()
				limit := count.Draw(r, "limit")
				n := f[i].TakeStealable(&c, &f[1-i], limit, 1<<30)
				left, taken := split(want[i], limit, queue.Task.Stealable)
				require.Equal(r, len(taken), n)
				want[i], want[1-i] = left, append(want[1-i], taken...)
			},
			"drop": func(r *rapid.T) {
				if i := pick(); len(want[i]) == 0 {
					f[i].Drop(&c)
					require.Zero(r, f[i].Segments())
				}
			},
			"": func(r *rapid.T) {
				for i := range f {
					require.Equal(r, len(want[i]), f[i].Len())
					require.Equal(r, len(want[i]), f[i].Held(), "functions kept alive")
				}
				require.Zero(r, c.Held(), "functions kept alive by spare segments")
				require.LessOrEqual(r, c.Segments(), queue.CacheMax)
			},
		})
		for i := range f {
			for x, ok := f[i].Pop(&c); ok; x, ok = f[i].Pop(&c) {
				requireSame(r, want[i][0], x)
				want[i] = want[i][1:]
			}
			require.Empty(r, want[i])
			require.LessOrEqual(r, f[i].Segments(), 1)
		}
	})
}

func requireSame(t require.TestingT, want, got queue.Task) {
	require.NotNil(t, got.Fn)
	require.Equal(t, [2]uint32{want.Site, want.Age}, [2]uint32{got.Site, got.Age})
}

// split is TakeStealable on a slice.
func split(all []queue.Task, limit int, may func(queue.Task) bool) (left, taken []queue.Task) {
	for _, x := range all {
		if may(x) && len(taken) < limit {
			taken = append(taken, x)
		} else {
			left = append(left, x)
		}
	}
	return left, taken
}

// TestTakeStealableLooksNoFurther than it may, so that a thief holds its victim up for a
// bounded time.
func TestTakeStealableLooksNoFurther(t *testing.T) {
	for scan := range 12 {
		var f, dst queue.FIFO
		var c queue.Cache
		for i := range 10 {
			f.Push(&c, numbered(i, []uint32{queue.Started, 1}[i%2]))
		}
		require.Equal(t, min(scan, 10)/2, f.TakeStealable(&c, &dst, 10, scan), "scan %d", scan)
	}
}

// TestSteadyStateDoesNotAllocate: segments go round.
func TestSteadyStateDoesNotAllocate(t *testing.T) {
	for _, depth := range []int{0, 1, 100, 1000} {
		var f queue.FIFO
		var c queue.Cache
		for i := range depth {
			f.Push(&c, numbered(i, 1))
		}
		round := func() {
			for i := range 1000 {
				f.Push(&c, numbered(i, 1))
			}
			for range 1000 {
				f.Pop(&c)
			}
		}
		round()
		require.Zero(t, testing.AllocsPerRun(10, round), "depth %d", depth)
	}
}

// TestDrainedSegmentIsUsedAgain from its start, when a list was found empty.
func TestDrainedSegmentIsUsedAgain(t *testing.T) {
	var f queue.FIFO
	var c queue.Cache
	for range 10 {
		for i := range queue.SegmentTasks {
			f.Push(&c, numbered(i, 1))
		}
		require.Equal(t, 1, f.Segments())
		for ok := true; ok; _, ok = f.Pop(&c) {
		}
	}
	require.Zero(t, c.Segments())
}

// TestMemoryIsGivenBack: a list that held a million tasks keeps one segment, and its
// cache the few that it may.
func TestMemoryIsGivenBack(t *testing.T) {
	var f queue.FIFO
	var c queue.Cache
	for i := range 1_000_000 {
		f.Push(&c, numbered(i, 1))
	}
	require.Equal(t, (1_000_000+queue.SegmentTasks-1)/queue.SegmentTasks, f.Segments())
	for range 1_000_000 {
		f.Pop(&c)
	}
	require.Equal(t, 1, f.Segments())
	require.Equal(t, queue.CacheMax, c.Segments())
	f.Drop(&c)
	require.Zero(t, f.Segments())
	require.Equal(t, queue.CacheMax, c.Segments())
}

// TestFunctionsAreReleased asks the garbage collector: what a popped or a stolen task
// refers to is gone, though its segment is still there.
func TestFunctionsAreReleased(t *testing.T) {
	var f, dst queue.FIFO
	var c queue.Cache
	var refs []weak.Pointer[[64]byte]
	for range 100 {
		big := new([64]byte)
		refs = append(refs, weak.Make(big))
		f.Push(&c, queue.Task{Fn: func() { big[0]++ }, Site: 1})
	}
	for range 30 {
		f.Pop(&c)
	}
	f.TakeStealable(&c, &dst, 30, 1000)
	dst.Append(&c, &queue.FIFO{})
	for range 30 {
		dst.Pop(&c)
	}
	runtime.GC()
	for i, p := range refs {
		require.Equal(t, i < 60, p.Value() == nil, "task %d", i)
	}
	require.Equal(t, 40, f.Len())
}

// TestCacheShare moves spare segments as far as there is room.
func TestCacheShare(t *testing.T) {
	fill := func(n int) (c queue.Cache) {
		var f queue.FIFO
		for i := range n * queue.SegmentTasks {
			f.Push(&c, numbered(i, 1))
		}
		for range n * queue.SegmentTasks {
			f.Pop(&c)
		}
		f.Drop(&c)
		return c
	}
	from, to := fill(10), fill(0)
	from.Share(&to, 4)
	require.Equal(t, [2]int{6, 4}, [2]int{from.Segments(), to.Segments()})
	from.Share(&to, 100)
	require.Equal(t, [2]int{0, 10}, [2]int{from.Segments(), to.Segments()})
	from, to = fill(20), fill(queue.CacheMax-3)
	from.Share(&to, 100)
	require.Equal(t, [2]int{17, queue.CacheMax}, [2]int{from.Segments(), to.Segments()})
}
