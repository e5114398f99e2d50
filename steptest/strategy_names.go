package steptest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// named are the strategies that flags can name. Those that take a number do so after a colon.
var named = []struct {
	name   string
	number string // what the number is, "" if there is none
	least  int
	make   func(n int) Strategy
}{
	{"portfolio", "", 0, func(int) Strategy { return Portfolio() }},
	{"urw", "", 0, func(int) Strategy { return URW() }},
	{"surw", "", 0, func(int) Strategy { return SURW() }},
	{"pct", "depth", 1, PCT},
	{"pct2", "", 0, func(int) Strategy { return PCT(2) }},
	{"pct3", "", 0, func(int) Strategy { return PCT(3) }},
	{"pos", "", 0, func(int) Strategy { return POS() }},
	{"abreast", "", 0, func(int) Strategy { return Abreast() }},
	{"random", "", 0, func(int) Strategy { return Random() }},
	{"starve", "", 0, func(int) Strategy { return Starving() }},
	{"dfs", "", 0, func(int) Strategy { return Bounded(-1) }},
	{"dfs", "preemptions", 0, func(n int) Strategy { return Bounded(n) }},
	{"fair", "", 0, func(int) Strategy { return Fair(1) }},
	{"fair", "steps", 1, Fair},
}

// ParseStrategy returns the strategy of that name: portfolio, urw, surw, pct:DEPTH, pct2, pct3, pos, abreast, random, starve, dfs, dfs:PREEMPTIONS,
// fair or fair:STEPS.
func ParseStrategy(name string) (Strategy, error) {
	kind, arg, has := strings.Cut(name, ":")
	for _, s := range named {
		if s.name != kind || has != (s.number != "") {
			continue
		}
		n := 0
		if has {
			var err error
			if n, err = strconv.Atoi(arg); err != nil || n < s.least || n > 1<<20 {
				return nil, fmt.Errorf("steptest: strategy %q: %s must be a number, and at least %d", name, s.number, s.least)
			}
		}
		return s.make(n), nil
	}
	return nil, fmt.Errorf("steptest: there is no strategy %q: there are %s", name, strategyNames())
}

// strategiesByName returns the strategies of a list with commas in between.
func strategiesByName(list string) ([]Strategy, error) {
	var all []Strategy
	for name := range strings.SplitSeq(list, ",") {
		s, err := ParseStrategy(strings.TrimSpace(name))
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

func strategyNames() string {
	var names []string
	for _, s := range named {
		name := s.name
		if s.number != "" {
			name += ":" + strings.ToUpper(s.number)
		}
		names = append(names, name)
	}
	last := len(names) - 1
	return strings.Join(slices.Concat(names[:last-1], []string{names[last-1] + " and " + names[last]}), ", ")
}
