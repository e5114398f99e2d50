//go:build go1.21

// Package loops is written for an older language: its loops have one variable for all rounds. A version
// line that a rewriting added or dropped would change what it prints.
package loops

import "sync"

// Run prints what tasks of a loop see.
func Run(print func(...any)) {
	var wg sync.WaitGroup
	start := make(chan bool)
	var mu sync.Mutex
	shared, own := 0, 0
	for i := 0; i < 4; i++ {
		wg.Add(2)
		go func() {
			defer wg.Done()
			<-start
			mu.Lock()
			shared += i // 4 each time
			mu.Unlock()
		}()
		go func(i int) {
			defer wg.Done()
			<-start
			mu.Lock()
			own += i
			mu.Unlock()
		}(i)
	}
	close(start)
	wg.Wait()
	print(shared, own)
}
