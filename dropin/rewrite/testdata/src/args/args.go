// Package args has go statements with arguments, which are evaluated at the statement and in order.
package args

import (
	"context"
	"errors"
	"fmt"
)

var out = make(chan string)

func show(args ...any) { out <- fmt.Sprint(args...) }

type person struct {
	name string
	tags [2]string
}

func (p person) greet(word string, n int) { show(word, p.name, n, p.tags) }

func (p *person) rename(to string) error {
	p.name = to
	show(p.name)
	return errors.New(to)
}

func two() (string, int) { return "two", 2 }

func take(ctx context.Context, err error, n int64, p *person) {
	show(ctx.Err(), err, n, p == nil)
}

func sum(base int, more ...int) {
	for _, n := range more {
		base += n
	}
	show(base)
}

// Run prints what the tasks saw, and the order of effects.
func Run(print func(...any)) {
	step := 0
	next := func(what string) string {
		step++
		return fmt.Sprint(what, step)
	}
	fn := func(what string) func(...any) {
		next(what)
		return func(args ...any) { show(append(args, step)...) }
	}
	go fn("function")(next("a"), next("b"), step)
	step = 100
	print("order", <-out)

	x, y := 1, []int{1, 2, 3}
	go sum(x, y...)
	x, y = 2, nil
	print("dots", <-out)
	go sum(x, x, 5, x+1)
	x = 0
	print("no dots", <-out)
	go sum(1, nil...)
	print("nil and dots", <-out)
	go sum(7)
	print("none", <-out)

	p := person{name: "ann"}
	go p.greet("hello", 3)
	p.name = "bob"
	p.tags[0] = "x"
	print("receiver", <-out)
	go p.rename("eve")
	name := <-out
	print("error dropped", name, p.name)

	go take(context.Background(), nil, 1<<40, nil)
	print("nil and constants", <-out)
	var missing error
	go take(context.TODO(), missing, int64(x), &p)
	print("interfaces", <-out)

	go show(two())
	print("several results", <-out)
	method := person.greet
	go func(f func(person, string, int), word string, n int) { f(p, word, n) }(method, "hi", 1)
	print("function as argument", <-out)
	go p.greet(two())
	p.name = "zoe"
	print("several results to a method", <-out)
	var v func(string, int) = p.greet
	go v(two())
	v = nil
	print("several results to a variable", <-out)

	go show( // what is shown
		x,          // a number
		"constant", /* in place */
		func() string {
			return "literal" // on its own line
		}(),
		p.name+
			"!",
	)
	x, p.name = 1, ""
	print("lines", <-out)

	go show(func() string { return "function" }(), 1+
		2, x)
	x = 50
	print("a constant over two lines", <-out)

	ch := make(chan int, 1)
	ch <- 9
	go show(<-ch, &p == nil, p.tags[:1], [2]int{x, x}, struct{ a int }{x}, any(x).(int))
	x = 51
	print("expressions", <-out)
}
