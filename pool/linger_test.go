package pool_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep/pool"
)

func TestLingerIsEarnedByWhatIsHandedOver(t *testing.T) {
	var l pool.Linger
	require.False(t, l.On())
	l.Handed()
	require.True(t, l.On())
	l.Readied()
	require.False(t, l.On(), "a goroutine needs the P")
	for _, skipped := range []int{2, 4, 8, 16, 32, 32} {
		l.Handed()
		require.True(t, l.On())
		l.InVain()
		for range skipped {
			require.False(t, l.On())
			l.Handed()
		}
		require.False(t, l.On(), "%d do not count", skipped)
	}
	l.Handed()
	l.Paid()
	l.InVain()
	for range 3 {
		require.False(t, l.On())
		l.Handed()
	}
	require.True(t, l.On(), "once it has paid it begins anew")
}
