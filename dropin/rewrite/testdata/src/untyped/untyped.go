// Package untyped has arguments that get their type from the parameter only.
package untyped

import (
	"fmt"
	"time"
)

var out = make(chan string)

func show(x any) { out <- fmt.Sprintf("%T %v", x, x) }

type flag bool

type size uint64

func isFlag(f flag, x any)         { show(f) }
func isSize(s size, n uint8)       { out <- fmt.Sprintf("%T %v %T %v", s, s, n, n) }
func wait(d time.Duration, f any)  { out <- fmt.Sprint(d, f) }
func flags(f ...flag)              { out <- fmt.Sprint(f) }
func generic[T any](x T)           { show(x) }
func number[T ~int64](x T, c rune) { show(x) }

const big = 1 << 40

const one = 1

// Run prints the types of the arguments.
func Run(print func(...any)) {
	a, b, n := 1, 2, 50
	go isFlag(a < b, nil)
	a = 3
	print(<-out)
	go isFlag(!(a == b) && (a > b || b > a), a == b)
	print(<-out)
	go flags(a == b, true, a != b)
	print(<-out)
	go show(a == b)
	print(<-out)
	go generic(a > b)
	print(<-out)
	go isSize(1<<n, 1<<(n-48)|1)
	n = 0
	print(<-out)
	n = 50
	go isSize((one<<n)+1, 2)
	print(<-out)
	go generic[int64](1 << n)
	print(<-out)
	go show(1 << n)
	print(<-out)
	go number[size64](1<<n, 'x')
	print(<-out)
	go wait(5*time.Millisecond, 5*time.Second == 0)
	print(<-out)
	go wait(1<<(n-40)*time.Microsecond, big)
	print(<-out)
	go isFlag(flag(a == b), 'x')
	print(<-out)
	{
		type size string // hides the type that the parameter has
		go isSize(1<<n, 1)
		print(<-out, size(""))
	}
}

type size64 int64
