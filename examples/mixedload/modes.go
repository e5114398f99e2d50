package main

import (
	"fmt"
	"strings"
)

// mode is one way to run the urgent and the bulk work beside each other.
type mode struct {
	name   string // as written after -modes
	label  string // as shown in the table and the plot
	color  string // of its curve; chosen to be told apart by colour-blind eyes as well
	dash   bool   // curves without a spare P are dashed where the same colour exists with one
	queues bool   // has lockstep's task queues, so its CPU shares are plotted
	spare  bool   // one P more than there are workers
	start  func(*config, *mode) (runner, error)
}

// defaultModes are those of the README: every rival as people use it, and lockstep with and without a spare P.
var defaultModes = []string{"plain", "gosched", "ants", "one", "one+spare", "two", "two+spare"}

// allModes also gives the rivals a spare P, to show that it is not the spare P alone that helps.
var allModes = []*mode{
	{name: "plain", label: "goroutines", color: "#8c2d19", start: startPlain},
	{name: "plain+spare", label: "goroutines, spare P", color: "#8c2d19", dash: true, spare: true, start: startPlain},
	{name: "gosched", label: "goroutines + Gosched", color: "#e69f00", start: startGosched},
	{name: "gosched+spare", label: "goroutines + Gosched, spare P", color: "#e69f00", dash: true, spare: true, start: startGosched},
	{name: "ants", label: "ants pool", color: "#b565a7", start: startAnts},
	{name: "ants+spare", label: "ants pool, spare P", color: "#b565a7", dash: true, spare: true, start: startAnts},
	{name: "one", label: "lockstep, one queue", color: "#4a9fd8", dash: true, queues: true, start: startOneQueue},
	{name: "one+spare", label: "lockstep, one queue, spare P", color: "#4a9fd8", queues: true, spare: true, start: startOneQueue},
	{name: "two", label: "lockstep, two queues", color: "#00734d", dash: true, queues: true, start: startTwoQueues},
	{name: "two+spare", label: "lockstep, two queues, spare P", color: "#00734d", queues: true, spare: true, start: startTwoQueues},
}

// idleMode is the floor: the same requests with no bulk work at all. It also tells whether the rate can be
// served by this machine in the first place.
var idleMode = &mode{name: "idle", label: "no bulk work (floor)", color: "#8a8a8a", dash: true, start: startPlain}

// parseModes reads a comma-separated list of mode names.
func parseModes(list string) ([]*mode, error) {
	if list == "all" {
		return allModes, nil
	}
	var out []*mode
	seen := map[string]bool{}
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		m := findMode(name)
		switch {
		case m == nil:
			return nil, fmt.Errorf("-modes: unknown mode %q; the modes are %s, or all", name, strings.Join(modeNames(), ", "))
		case seen[name]:
			return nil, fmt.Errorf("-modes: %s is named twice; name each mode once", name)
		}
		seen[name] = true
		out = append(out, m)
	}
	return out, nil
}

func findMode(name string) *mode {
	for _, m := range allModes {
		if m.name == name {
			return m
		}
	}
	return nil
}

func modeNames() []string {
	var names []string
	for _, m := range allModes {
		names = append(names, m.name)
	}
	return names
}
