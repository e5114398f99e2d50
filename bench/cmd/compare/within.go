package main

import "time"

// roundClock tells whether there is time for another round.
type roundClock struct {
	d            *driver
	start, began time.Time
	longest      time.Duration // of the measured rounds
}

// enough is asked at the beginning of each round, and reports whether it can end within the time, if it takes no longer than those before. There is always time
// for one.
func (c *roundClock) enough(round int) bool {
	if c.d.within == 0 {
		return true
	}
	now := c.d.now().at
	if c.start.IsZero() {
		c.start = now
	}
	if round > 1 {
		if c.longest = max(c.longest, now.Sub(c.began)); now.Sub(c.start)+c.longest > c.d.within {
			return false
		}
	}
	c.began = now
	return true
}
