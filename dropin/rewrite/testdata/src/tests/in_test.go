package tests

import "testing"

var lockstep = "a name that only the tests have"

var Out = out

func TestIn(t *testing.T) {
	go send(len(lockstep))
	if n := <-out; n != len(lockstep) {
		t.Fatal(n)
	}
}
