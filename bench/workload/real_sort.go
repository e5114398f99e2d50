package workload

import (
	"math/rand/v2"
	"slices"
	"sync"
)

// RealSort is a parallel merge sort: each task sorts one half, has another task sort the other, waits for it and merges.
// A repetition is an element.
var RealSort = realRow("RealSort", "parallel merge sort", "ns/element", func(e *Env, n int) {
	numbers := slices.Clone(unsorted()[:n])
	e.in(func() { mergeSort(e, numbers, make([]int, n)) })
	verify(slices.IsSorted(numbers), "sort: not sorted")
	sum := 0
	for i, v := range numbers {
		sum += v - unsorted()[i]
	}
	verify(sum == 0, "sort: the numbers are not those that were to be sorted")
	e.count(n)
}).sized(sortSize, 20_000, 1, sortSize/sortAlone*4)

const (
	sortSize = 1 << 20
	// sortAlone is how many elements are not worth another task.
	sortAlone = 4096
)

// unsorted are the same numbers in every run.
var unsorted = sync.OnceValue(func() []int {
	random := rand.New(rand.NewPCG(1, 2))
	numbers := make([]int, sortSize)
	for i := range numbers {
		numbers[i] = random.Int()
	}
	return numbers
})

func mergeSort(e *Env, numbers, space []int) {
	if len(numbers) <= sortAlone {
		slices.Sort(numbers)
		return
	}
	half := len(numbers) / 2
	other := e.Pool.NewLatch()
	other.Add(1)
	e.Pool.Go(func() {
		mergeSort(e, numbers[:half], space[:half])
		other.Done()
	})
	mergeSort(e, numbers[half:], space[half:])
	other.Wait()
	copy(space, numbers)
	merge(numbers, space[:half], space[half:])
}

// merge writes two sorted slices to one.
func merge(to, a, b []int) {
	for i := range to {
		if len(b) == 0 || len(a) > 0 && a[0] <= b[0] {
			to[i], a = a[0], a[1:]
		} else {
			to[i], b = b[0], b[1:]
		}
	}
}
