package main_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	main "github.com/lockstep-go/lockstep/dropin/cmd/acceptance"
)

// TestErrors holds what the command refuses before it builds anything.
func TestErrors(t *testing.T) {
	for want, args := range map[string][]string{
		`no suite matches "^y$"; there are x/sync, conc, run`: {"-packages", "^y$"},
		`mode "free" is neither locked nor floating`:          {"-modes", "locked,free"},
		`workers "0" is neither a number nor max`:             {"-workers", "1,0"},
		"missing closing )":                                   {"-packages", "("},
		"flag provided but not defined":                       {"-x"},
	} {
		_, err := main.Run(t.Context(), args)
		require.ErrorContains(t, err, want)
	}
}
