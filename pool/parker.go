package pool

import "time"

// parker holds the one token of the park/wake protocol. It waits on a channel,
// made where the pool is made: inside a testing/synctest bubble a parked
// worker then counts as durably blocked.
type parker struct {
	token chan struct{}
	timer *time.Timer
}

func (p *parker) init() { p.token = make(chan struct{}, 1) }

// unpark hands over the token. There is never a second one, so it does not block.
func (p *parker) unpark() { p.token <- struct{}{} }

// wait receives the token; false means that d nanoseconds passed first. A negative d
// waits as long as it takes.
func (p *parker) wait(d int64) bool {
	if Stepping() {
		if got, stepped := p.stepWait(d); stepped {
			return got
		}
	}
	if d < 0 {
		<-p.token
		return true
	}
	if p.timer == nil {
		p.timer = time.NewTimer(time.Duration(d))
	} else {
		p.timer.Reset(time.Duration(d))
	}
	select {
	case <-p.token:
		p.timer.Stop()
		return true
	case <-p.timer.C:
		return false
	}
}
