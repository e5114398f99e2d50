// Package racectx has the race detector take a stretch of one goroutine's work for that of another one. It is for package pool under
// steptest, where tasks run one at a time and every switch between them goes through the library's own code.
//
// # Why
//
// The race detector (ThreadSanitizer) keeps for each goroutine what it knows of the others, as a vector clock, and finds an access that does
// not know of an earlier one by another goroutine. When tasks take turns on one thread each switch hands everything on (iter.Pull says so to the
// detector, and has to), so each knows of all, and no race is seen.
//
// Handing the turn over behind the detector's back is not enough: the code that decides whose turn it is has memory of its own, which all tasks would touch
// without knowing of one another. That code would be reported.
//
// So while a task's goroutine runs that code it is, for the detector, somebody else: the one whose memory that is. [Swap] changes the
// goroutine's context, the word of the runtime's record of it that the instrumentation passes to the detector. What is done until it is changed back is
// known to that one, and told to that one, and the task neither learns nor tells anything.
//
// The runtime itself does so for the functions of AddCleanup (raceEnterNewCtx in its mcleanup.go), and for timers.
//
// # What must hold
//
//   - A context has one user at a time. Its own goroutine is parked while another one uses it.
//   - A function is left in the context that it was entered in, unless it is marked go:norace: the detector keeps the
//     stack of calls in the context. A panic or Goexit that skips the leaving leaves some words on that stack, as it does in any program.
//   - The stack of a goroutine is used by one after the other. Nobody else touches it, so Swap has the detector forget who did.
//   - The goroutine of a context lives while it is used, and ends in its own.
//
// # Where the word is
//
// That is read from the first instruction of the runtime's own racefuncexit, which loads it. On platforms, or with versions of Go,
// where it is not found there, [Supported] is false.
package racectx
