package builtins

import "sync/atomic"

var printed atomic.Bool

func print2(args ...any) { printed.Store(len(args) == 3) }
