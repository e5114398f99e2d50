// Package direct has go statements without arguments: the function value itself is evaluated at
// the statement and handed over.
package direct

type counter struct{ n int }

func (c counter) show() { out <- c.n }
func (c *counter) add() { c.n++; out <- c.n }
func (c counter) result() int {
	out <- c.n
	return c.n
}

type shower interface{ show() }

type handler func()

type job struct{ run func() }

var out = make(chan int)

func declared() { out <- 1 }

func typed[T int | int8](x ...T) { out <- len(x) + 2 }

func made(n int) func() { return func() { out <- n } }

// Run prints what each kind of function value does.
func Run(print func(...any)) {
	go declared()
	print("declared", <-out)

	c := counter{n: 10}
	go c.show() // the receiver is copied here
	c.n = 11
	print("value receiver", <-out)
	go c.add()
	n := <-out
	print("pointer receiver", n, c.n)

	var s shower = c
	go s.show()
	s = nil
	print("interface", <-out)

	go made(4)()
	print("result", <-out)

	f := made(5)
	go f()
	f = made(6)
	print("variable", <-out)

	j := &job{run: made(7)}
	go j.run()
	j.run = nil
	print("field", <-out)

	go (declared)()
	go (func() { out <- 8 })()
	print("parentheses", <-out+<-out)

	var h handler = made(9)
	go h( /* nothing */ )
	print("named type", <-out)

	go func() { out <- 12 }()
	print("literal", <-out)

	m := map[string]func(){"a": made(13)}
	go m["a"]()
	delete(m, "a")
	print("map", <-out)

	go c.result() // a result is dropped
	c.n = 0
	print("method with a result", <-out)
	go func() int { out <- 14; return 1 }()
	print("literal with a result", <-out)
	go counter.result(c)
	go (*counter).add(&c)
	print("method expressions", <-out+<-out)
	go typed[int]()
	print("generic", <-out)

	defer func() {
		print("nil interface panics here:", recover() != nil)
	}()
	go s.show()
}
