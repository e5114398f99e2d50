package steptest

import "fmt"

// coverage counts how many different schedules were seen.
type coverage struct{ seen map[uint64]int }

func (c *coverage) add(print uint64) {
	if c.seen == nil {
		c.seen = map[uint64]int{}
	}
	c.seen[print]++
}

// String says how many, and, after Good and Turing (1953), how likely it is that the next schedule is a new one: about the share of those
// that were seen once.
func (c *coverage) String() string {
	once, all := 0, 0
	for _, n := range c.seen {
		all += n
		if n == 1 {
			once++
		}
	}
	if all == 0 {
		return "no interleavings seen"
	}
	return fmt.Sprintf("%d different interleavings in %d schedules; the next one is new with a probability of about %.1f %%", len(c.seen), all, 100*float64(once)/float64(all))
}
