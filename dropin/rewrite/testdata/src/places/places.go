// Package places has go statements wherever the language allows one.
package places

var out = make(chan int)

var global = func() int {
	go send(1)
	return <-out
}()

func send(n int) { out <- n }

func once() { go send(2) }

func sends(n int) { go send(n); return }

// Run prints sums of what was sent.
func Run(print func(...any)) {
	print("variable", global)
	once()
	print("one line", <-out)
	sends(3)
	print("one line with more", <-out)

	n, sum := 0, 0
again:
	go send(n)
	sum += <-out
	if n++; n < 3 {
		goto again
	}
	print("label", sum)

loop:
	for i := range 5 {
		switch {
		case i == 1:
			go send(i)
			continue loop
		case i == 3:
			go send(i)
			break loop
		default:
			go send(i)
		}
		sum += <-out
	}
	sum += <-out + <-out
	print("switch", sum)

	if sum > 0 { go send(sum) } else { go send(0) }
	print("if", <-out)

	ready := make(chan int, 1)
	ready <- 4
	select {
	case v := <-ready:
		go send(v)
	default:
	}
	print("select", <-out)

	defer func() { go send(5); print("defer", <-out) }()
	for _, f := range []func(int){send, func(n int) { go send(n + 1) }} {
		go f(6); sum++
		print("range", <-out)
	}
	func() { go func(a, b int) { out <- a + b }(sum, n) }()
	print("literal", <-out)
	{
		go send(sum) /* before the end */ }
	print("block", <-out)
}
