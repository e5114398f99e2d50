package tasksync

// Listed counts who is in the list of a lock or what else is waited for.
func Listed(x any) (n int) {
	var l *list
	switch x := x.(type) {
	case *Mutex:
		l = &x.list
	case *RWMutex:
		l = &x.list
	case *Semaphore:
		l = &x.list
	case *Cond:
		l = &x.list
	case *WaitGroup:
		l = &x.list
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for w := l.first; w != nil; w = w.next {
		n++
	}
	return n
}
