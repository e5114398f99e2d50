//go:build !lockstep_nodetector

package queue

// detector compiles the reentrancy detector in. The build tag lockstep_nodetector takes it
// out, to measure what it costs: nothing else may get slower by it. Without
// it a loop of yields starves the others.
const detector = true
