package tests_test

import (
	"testing"

	"github.com/lockstep-go/lockstep/dropin/rewrite/testdata/src/tests"
)

func TestOut(t *testing.T) {
	go tests.Start(1)
	if n := <-tests.Out; n != 1 {
		t.Fatal(n)
	}
}
