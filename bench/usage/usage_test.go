package usage

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestBusyTicks(t *testing.T) {
	n, err := busyTicks([]byte("cpu  1 20 300 4000 50000 6 70 800 9 9\ncpu0 1 1 1\n"))
	require.NoError(t, err)
	require.Equal(t, int64(1+20+300+6+70+800), n)
	for _, text := range []string{"", "cpu 1 2 3", "intr 1 2 3 4 5 6 7 8 9", "cpu 1 2 3 4 x 6 7 8"} {
		_, err := busyTicks([]byte(text))
		require.Error(t, err, text)
	}
}

func TestWorkIsSeen(t *testing.T) {
	before, ok := Own()
	if !ok {
		t.Skipf("%s does not tell", runtime.GOOS)
	}
	machineBefore, told := Machine()
	for {
		own, _ := Own()
		if own.CPU-before.CPU > 50*time.Millisecond {
			break
		}
	}
	if told {
		after, _ := Machine()
		require.GreaterOrEqual(t, after-machineBefore, 20*time.Millisecond)
	}
}
