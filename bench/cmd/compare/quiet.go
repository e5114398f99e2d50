package main

import (
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/lockstep-go/lockstep/bench/usage"
)

// errGaveUp says that the machine had no time for us. The report is written all the same, with what there is.
var errGaveUp = errors.New("gave up: too many rounds were disturbed by other load; try again when the machine is quieter, " +
	"or allow more with -disturbance")

// moment is what had been used up at a time.
type moment struct {
	at           time.Time
	machine, own time.Duration
	known        bool
}

func now() moment {
	machine, ok := usage.Machine()
	own, okOwn := usage.Own()
	return moment{at: time.Now(), machine: machine, own: own.CPU + own.Children, known: ok && okOwn}
}

// coarse is how far off the machine's figure may be: it is counted in hundredths of a second on each processor.
const coarse = 20 * time.Millisecond

// othersSince returns the part of the machine's CPU time, in percent, that others have taken since then. known is
// false where the system does not tell.
func (m moment) othersSince(then moment) (percent float64, known bool) {
	if !m.known || !then.known || !m.at.After(then.at) {
		return 0, false
	}
	others := (m.machine - then.machine) - (m.own - then.own) - coarse*time.Duration(runtime.NumCPU())
	whole := m.at.Sub(then.at) * time.Duration(runtime.NumCPU())
	return max(0, 100*float64(others)/float64(whole)), true
}

// undisturbed calls round, again if others have taken too much of the machine meanwhile, until it was left alone. It
// returns how many times were in vain, and errGaveUp when the patience of the whole run is at its end.
func (d *driver) undisturbed(what string, round func() error) (rejected int, err error) {
	for {
		before := d.now()
		if err := round(); err != nil {
			return rejected, err
		}
		percent, known := d.now().othersSince(before)
		d.told = d.told || known
		if percent <= d.disturbance {
			return rejected, nil
		}
		rejected++
		d.rejected++
		fmt.Fprintf(d.progress, "rejected: others took %.0f %% of the machine during %s (%d of %d)\n", percent, what, d.rejected, d.patience)
		if d.rejected >= d.patience {
			return rejected, errGaveUp
		}
		d.sleep(min(time.Duration(rejected)*time.Second, maxPause))
	}
}

// maxPause is how long the driver waits at most before it tries a disturbed round again.
const maxPause = 10 * time.Second
