package steptest

import (
	"sync"
	"testing"
)

// Fuzz makes the schedule of body the input of a fuzz test: go test -fuzz looks for the schedules that reach new code, and makes one that fails shorter. Call
// it as the last thing of a FuzzXxx function. As a part of go test it tries the seeds, which are a few plain schedules, what [Run] has
// kept for a test of the same name, and what the fuzzer has.
//
// Each byte is a choice: 0 goes on with the task that runs, and any other number is another task, or another value, taken modulo how many
// there are. After the end of the input tasks run until they wait. So every input is a schedule.
func Fuzz(f *testing.F, body func(*T), opts ...Option) {
	f.Helper()
	c, err := configure(opts)
	if err != nil {
		fatal(f, err.Error())
	}
	x, err := newExplorer(f, c, body)
	if err != nil {
		fatal(f, err.Error())
	}
	for _, seed := range x.seeds() {
		f.Add(seed)
	}
	x.open()
	f.Cleanup(x.d.Close)
	var mu sync.Mutex
	f.Fuzz(func(t *testing.T, data []byte) {
		mu.Lock()
		defer mu.Unlock()
		x.tb, x.real, x.name = t, t, t.Name()
		x.watched(func() report { return x.fuzzed(data) })
	})
}

// seeds are the inputs that fuzzing begins with.
func (x *explorer) seeds() [][]byte {
	seeds := [][]byte{{}, {1}, {0, 0, 0, 1}, {1, 0, 1, 0, 1, 0, 1}, {2, 1, 2, 1, 2, 1}}
	for _, name := range pinnedFiles(x.name) {
		if s, err := readPinned(name); err == nil {
			b := make([]byte, len(s.choices))
			for i, v := range s.choices {
				b[i] = byte(min(v, 255))
			}
			seeds = append(seeds, b)
		}
	}
	return seeds
}

// fuzzed runs the schedule of an input. The fuzzer makes a failing one shorter itself, and keeps it.
func (x *explorer) fuzzed(data []byte) report {
	s := schedule{choices: make([]uint16, len(data))}
	for i, b := range data {
		s.choices[i] = uint16(b)
	}
	f := x.run(s)
	switch {
	case f != nil:
		return x.failure(f, "fuzz")
	case x.t.skips:
		return report{skip: true, text: x.t.skipped}
	}
	return report{}
}
