// Package generics has generic functions, with type arguments that are given or inferred.
package generics

import "fmt"

var out = make(chan string)

func one[T any](x T)          { out <- fmt.Sprintf("%T %v", x, x) }
func same[T any](x, y T)      { out <- fmt.Sprintf("%T %v %v", x, x, y) }
func pair[K, V any](k K, v V) { out <- fmt.Sprintf("%T %T", k, v) }

func apply[T any](f func(T), x T) { f(x) }

func each[S ~[]E, E any](s S, f func(E)) {
	for _, e := range s {
		f(e)
	}
}

type box[T any] struct{ v T }

func (b box[T]) show(prefix string) { out <- fmt.Sprintf("%s %T %v", prefix, b.v, b.v) }

func (b *box[T]) start() { go b.show("started") }

func start[T fmt.Stringer, F ~func()](x T, f F) {
	go one(x)
	go f()
	go one(x.String())
	go call(x.String)
}

func call[R any](f func() R) { out <- fmt.Sprint(f()) }

type named []string

type id int

func (i id) String() string { return fmt.Sprintf("id-%d", int(i)) }

// Run prints the types that were inferred.
func Run(print func(...any)) {
	x := int8(1)
	go one(x)
	print(<-out)
	go one(1)
	print(<-out)
	go one[float32](1)
	print(<-out)
	go same(1, 2.5) // one type for both constants
	print(<-out)
	go same(x, 3)
	print(<-out)
	go same[any](x, nil)
	print(<-out)
	go pair[string]("k", x)
	print(<-out)
	go (pair[string, int64])("k", 1)
	print(<-out)
	go apply(one, x) // the argument's type arguments are inferred from the parameter
	print(<-out)
	go each(named{"a"}, one)
	print(<-out)
	b := box[string]{"v"}
	go b.show("method")
	b.v = "changed"
	print(<-out)
	b.start()
	print(<-out)
	go box[id].show(box[id]{7}, "expression")
	print(<-out)

	start(id(3), func() { out <- "func" })
	seen := map[string]int{}
	for range 4 {
		seen[<-out]++
	}
	print(seen)
}
