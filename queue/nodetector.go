//go:build lockstep_nodetector

package queue

const detector = false
