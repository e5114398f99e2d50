package imports

import (
	"fmt"

	"golang.org/x/sync/errgroup"
)

var out = make(chan string)

// Run prints what the other files of the package do.
func Run(print func(...any)) {
	var g errgroup.Group
	g.Go(func() error {
		go send("block with groups")
		return nil
	})
	print(<-out, g.Wait())
	none()
	print(<-out)
	single()
	print(<-out)
	standard()
	print(<-out)
	already()
	print(<-out)
	hidden("x")
	print(<-out)
	blank()
	print(<-out)
}

func send(s string) { out <- fmt.Sprint(s) }
