// Package literals has function literals that are called with arguments.
package literals

import "sync"

var out = make(chan any)

type celsius float64

// Run prints what the literals saw of their parameters.
func Run(print func(...any)) {
	x := 1
	go func(x int) { out <- x }(x)
	x = 2
	print("same name", <-out)

	go func(a, b int, s string) {
		a += b
		out <- a
		out <- s
	}(x, x*10, "text")
	x = 3
	print("several", <-out, <-out)

	go func(unused int) { out <- "unused" }(x)
	print(<-out)
	go func(_ int, b int) { out <- b }(x, 7)
	print("blank", <-out)
	go func(set int) { set = 5; out <- "only set" }(x)
	print(<-out)
	go func(v any) { out <- v }(x)
	x = 4
	print("interface", <-out)
	go func(c celsius) { out <- c }(21)
	print("constant", <-out)
	go func(n int, s string, r rune) { out <- n; out <- s; out <- r }(5, "five", 'a')
	print("constants of default type", <-out, <-out, <-out)
	go func(xs ...int) { out <- len(xs) }(x, x)
	print("variadic", <-out)
	go func(n int) int { out <- n; return n }(x)
	x = 5
	print("result", <-out)
	go func(n int, f func() int) {
		out <- n + f()
	}(x, func() int {
		return 100
	})
	x = 6
	print("literal as argument", <-out)
	go func(n int) { func() { n++ }(); out <- n }(x)
	print("closure over a parameter", <-out, x)
	go func(
		n int, // commented
	) {
		out <- n
	}(
		x,
	)
	x = 7
	print("lines", <-out)

	var wg sync.WaitGroup
	got := make([]int, 4)
	for i := range got {
		wg.Add(1)
		go func(i int) {
			defer wg.Done()
			go func(to chan any, v int) {
				to <- v
			}(out, i*i)
			wg.Add(1)
			go func() {
				got[i] = i * 10
				wg.Done()
			}()
		}(i)
	}
	total := 0
	for range got {
		total += (<-out).(int)
	}
	wg.Wait()
	print("nested", total, got)

	go func() {
		defer func() { out <- recover() }()
		go func() {}()
		panic("recovered in the task")
	}()
	print(<-out)
}
