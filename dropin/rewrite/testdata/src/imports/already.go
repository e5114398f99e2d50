package imports

import (
	"github.com/lockstep-go/lockstep/dropin/target"
)

var _ = target.Go

func already() { go send("imported before") }
