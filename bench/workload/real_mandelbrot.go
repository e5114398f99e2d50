package workload

import (
	"sync"

	"go.uber.org/atomic"
)

// RealMandelbrot is a picture of the Mandelbrot set, a task for each row of it. Tasks compute and never wait; they take
// from microseconds to milliseconds. A repetition is a picture.
var RealMandelbrot = realRow("RealMandelbrot", "Mandelbrot set, a task for each row", "ns/row", func(e *Env, n int) {
	for range n {
		var sum atomic.Int64
		done, wait := e.tracked(mandelRows)
		for y := range mandelRows {
			e.Pool.Go(func() {
				sum.Add(mandelRow(y))
				e.count(1)
				if done != nil {
					done()
				}
			})
		}
		wait()
		verify(sum.Load() == mandelSum(), "mandelbrot: %d steps instead of %d", sum.Load(), mandelSum())
	}
}).sized(2, 1, mandelRows, 0)

const (
	mandelRows  = 400
	mandelSteps = 200
)

// mandelRow returns how many steps the points of a row have taken.
func mandelRow(y int) (steps int64) {
	for x := range mandelRows {
		re, im := 3*float64(x)/mandelRows-2, 3*float64(y)/mandelRows-1.5
		zr, zi := 0.0, 0.0
		for range mandelSteps {
			if zr*zr+zi*zi > 4 {
				break
			}
			zr, zi = zr*zr-zi*zi+re, 2*zr*zi+im
			steps++
		}
	}
	return steps
}

// mandelSum is the whole picture, computed once without tasks.
var mandelSum = sync.OnceValue(func() (sum int64) {
	for y := range mandelRows {
		sum += mandelRow(y)
	}
	return sum
})
