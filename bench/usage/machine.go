package usage

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"
)

// tick is the unit of /proc/stat. Linux reports in hundredths of a second whatever its own clock is.
const tick = 10 * time.Millisecond

// Machine returns the CPU time that everything on the machine has taken, all processors together. What a hypervisor
// has taken away counts as well, since for whoever measures that is load like any other. ok is false where the system
// does not tell.
func Machine() (busy time.Duration, ok bool) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, false
	}
	ticks, err := busyTicks(text)
	return time.Duration(ticks) * tick, err == nil
}

// The fields in which a processor does nothing.
const (
	idleField = 3
	waitField = 4
)

// busyTicks reads the first line: user, nice, system, idle, waiting for I/O, interrupts, soft interrupts, stolen.
// Guests, which may follow, are in user already.
func busyTicks(text []byte) (int64, error) {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	fields := bytes.Fields(line)
	if len(fields) < 9 || string(fields[0]) != "cpu" {
		return 0, fmt.Errorf("usage: no line of a machine's CPU time: %q", line)
	}
	var sum int64
	for i, field := range fields[1:9] {
		n, err := strconv.ParseInt(string(field), 10, 64)
		if err != nil {
			return 0, fmt.Errorf("usage: CPU time: %w", err)
		}
		if i != idleField && i != waitField {
			sum += n
		}
	}
	return sum, nil
}
