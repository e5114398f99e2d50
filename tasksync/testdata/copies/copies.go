// Package copies copies everything that must not be copied, for go vet to find.
package copies

import "github.com/lockstep-go/lockstep/tasksync"

type all struct {
	Mutex     tasksync.Mutex
	RWMutex   tasksync.RWMutex
	Semaphore tasksync.Semaphore
	Cond      tasksync.Cond
	WaitGroup tasksync.WaitGroup
	Once      tasksync.Once
}

func copies(a *all) {
	mutex := a.Mutex
	rwMutex := a.RWMutex
	semaphore := a.Semaphore
	cond := a.Cond
	waitGroup := a.WaitGroup
	once := a.Once
	use(&mutex, &rwMutex, &semaphore, &cond, &waitGroup, &once)
}

func use(...any) {}

var _ = copies
