package guess_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep/internal/guess"
)

func TestGuessIsEarned(t *testing.T) {
	var l guess.Guess
	require.False(t, l.On())
	l.Near()
	require.True(t, l.On())
	l.Off()
	require.False(t, l.On(), "a goroutine needs the P")
	for _, skipped := range []int{2, 4, 8, 16, 32, 32} {
		l.Near()
		require.True(t, l.On())
		l.Failed()
		for range skipped {
			require.False(t, l.On())
			l.Near()
		}
		require.False(t, l.On(), "%d do not count", skipped)
	}
	l.Near()
	l.Paid()
	l.Failed()
	for range 3 {
		require.False(t, l.On())
		l.Near()
	}
	require.True(t, l.On(), "once it has paid it begins anew")
}
