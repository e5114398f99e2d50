package steptest

import (
	"flag"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Flags of the test binary. Each has a twin in the environment, STEPTEST_SCHEDULES for -steptest.schedules and so on; a flag that is
// given wins, and both win over options in the code.
var (
	flagSchedules = flag.Int("steptest.schedules", 0, "schedules to try in each test; 0 leaves it to the test (1000, with -short 100)")
	flagTime      = flag.Duration("steptest.time", 0, "how long to try schedules in each test at most; 0 leaves it to the test (1s, or no limit if -steptest.schedules is given)")
	flagSeed      = flag.String("steptest.seed", "", "seed of the strategies: a number, or random; by default made from the test's name")
	flagReplay    = flag.String("steptest.replay", "", "replay the schedule of this token, or of this file, and nothing else")
	flagStrategy  = flag.String("steptest.strategy", "", "comma-separated list of strategies: portfolio, urw, pct2, pct3, pos, random, starve, dfs, dfs:N, fair")
	flagTrace     = flag.Bool("steptest.trace", false, "print the trace of a replay also if it does not fail")
	flagRaces     = flag.Bool("steptest.races", true, "have the race detector, in a program built with -race, see races between tasks")
	flagCover     = flag.Bool("steptest.cover", false, "print how many different interleavings were seen, and how many are likely to be left")
)

var envMu sync.Mutex

// fromEnv sets flags that were not given from the environment.
func fromEnv() (err error) {
	envMu.Lock() // parallel tests come by, and what is set already must not be written again while others read it
	defer envMu.Unlock()
	given := map[string]bool{}
	flag.Visit(func(f *flag.Flag) { given[f.Name] = true })
	flag.VisitAll(func(f *flag.Flag) {
		name, ours := strings.CutPrefix(f.Name, "steptest.")
		if v := os.Getenv("STEPTEST_" + strings.ToUpper(name)); ours && v != "" && !given[f.Name] && v != f.Value.String() {
			if e := f.Value.Set(v); e != nil && err == nil {
				err = fmt.Errorf("steptest: STEPTEST_%s=%q: %w", strings.ToUpper(name), v, e)
			}
		}
	})
	return err
}

// seedOf returns the seed for a test.
func seedOf(name, given string) (uint64, error) {
	switch given {
	case "":
		h := fnv.New64a()
		_, _ = h.Write([]byte(name))
		return h.Sum64(), nil
	case "random":
		return rand.Uint64(), nil
	}
	n, err := strconv.ParseUint(given, 0, 64)
	if err != nil {
		return 0, fmt.Errorf("steptest: -steptest.seed=%s is neither a number nor random", given)
	}
	return n, nil
}

const (
	defaultSchedules = 1000
	shortSchedules   = 100
	defaultTime      = time.Second
	defaultSteps     = 20_000
)

// settle applies the flags, and the defaults, to the options of the code.
func (c *config) settle() error {
	if err := fromEnv(); err != nil {
		return err
	}
	limited := c.time > 0
	if *flagSchedules > 0 {
		c.schedules, limited = *flagSchedules, true
	}
	if *flagTime > 0 {
		c.time = *flagTime
	} else if *flagSchedules > 0 {
		c.time = 0
	} else if !limited && c.schedules == 0 {
		c.time = defaultTime
	}
	if c.schedules == 0 {
		c.schedules = defaultSchedules
		if *flagTime > 0 || limited {
			c.schedules = math.MaxInt
		}
		if testing.Short() {
			c.schedules = shortSchedules
		}
	}
	if *flagSeed != "" {
		c.seed = *flagSeed
	}
	if *flagStrategy != "" {
		list, err := strategiesByName(*flagStrategy)
		if err != nil {
			return err
		}
		c.strategies = list
	}
	return nil
}
