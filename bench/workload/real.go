package workload

import "github.com/lockstep-go/lockstep/bench/rival"

// The rows of this family are small programs that do real work, each with a second row for the memory that it took
// at most. Every run checks its result.
var programs = []*Workload{RealHash, RealSieve, RealChat, RealSort, RealMandelbrot, RealPipeline}

// Programs are the rows that are small programs.
func Programs() []*Workload { return programs }

func realRow(name, title, unit string, run func(e *Env, n int)) *Workload {
	return &Workload{
		Name: name, Title: title, Unit: unit,
		Also:  []Metric{{name + "Memory", "peak of memory above the start, " + title, "KiB"}},
		peaks: true, Variants: []string{rival.LockstepFloatingName},
		run: run,
	}
}

// sized completes a row: repetitions of a measured and of a quick run, operations in a repetition, and how many tasks
// have to be in progress together.
func (w *Workload) sized(size, quick, ops, inProgress int) *Workload {
	w.Size, w.Quick, w.Ops, w.InProgress = size, quick, ops, inProgress
	return w
}
