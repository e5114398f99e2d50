// Package marks has statements that were told to stay.
package marks

var out = make(chan string)

// Run starts all of them.
func Run(print func(...any)) {
	//lockstep:keep it is the scheduler itself
	go send("line above")
	print(<-out)
	go send("same line") //lockstep:keep
	print(<-out)
	go send("no mark")
	print(<-out)
	//lockstep:keep nothing here any more
	generated(print)
}

func send(s string) { out <- s }
