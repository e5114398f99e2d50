package imports

import "github.com/lockstep-go/lockstep/dropin/target"

func hidden(target string) { go send("hidden " + target) }

var _ = target.Go
