package queue

// Task is one entry of a run queue, 16 bytes.
//
// Fn runs the task, or resumes it when it has already started. Site says
// where the task was spawned and carries the marks below. Age is when it became
// ready, on the owner's 32-bit clock.
type Task struct {
	Fn   func() // runs or resumes it
	Site uint32 // where it was spawned, and marks
	Age  uint32 // when it became ready
}

// Marks in [Task.Site]. The lower 30 bits are the spawn site proper.
const (
	// Started, as the whole of Site, is an entry that resumes a task. It never
	// leaves its worker.
	Started uint32 = 0
	// Pinned marks an unstarted task that must run on the worker it was given to.
	Pinned uint32 = 1 << 31
	// Handled marks an unstarted task whose Fn looks after cancellation itself,
	// so that it may be called during a forced shutdown without starting work.
	Handled uint32 = 1 << 30
	// SiteMask selects the spawn site.
	SiteMask = Handled - 1
)

// Stealable reports whether t may move to another worker.
func (t Task) Stealable() bool { return t.Site != Started && t.Site&Pinned == 0 }
