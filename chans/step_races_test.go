package chans_test

import "flag"

// The bodies of this package's schedules count in plain variables what happens, since tasks run one at a time. So the race detector is not to see races
// between them.
func init() { _ = flag.Set("steptest.races", "false") }
