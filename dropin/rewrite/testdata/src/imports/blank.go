package imports

import _ "github.com/lockstep-go/lockstep/dropin/target"

func blank() { go send("blank") }
