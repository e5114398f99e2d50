package pool_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lockstep-go/lockstep/pool"
)

// Stalls of a place are added up, those of tasks in sections apart from others, and the place that took most comes first.
func TestWorstPlacesComeFirst(t *testing.T) {
	var s pool.Stalls
	s.GoesOn(1, false, 0, 10*time.Millisecond)
	s.GoesOn(1, false, 10*time.Millisecond, 12*time.Millisecond) // the same one, later
	s.GoesOn(1, true, 0, 11*time.Millisecond)
	s.GoesOn(1, true, 0, 10*time.Millisecond)
	told := s.Told()
	require.Len(t, told, 2)
	require.Equal(t, pool.StallSite{Site: told[0].Site, Section: true, Stalls: 2, Total: 21 * time.Millisecond, Longest: 11 * time.Millisecond}, told[0])
	require.Equal(t, pool.StallSite{Site: told[0].Site, Stalls: 1, Total: 12 * time.Millisecond, Longest: 12 * time.Millisecond}, told[1])
}

func TestWorstPlacesAreBounded(t *testing.T) {
	var s pool.Stalls
	require.Empty(t, s.Told())
	for i := range uint32(pool.WorstSites + 5) {
		s.GoesOn(i, false, 0, time.Duration(i+1)*time.Millisecond)
	}
	told := s.Told()
	require.Len(t, told, pool.WorstTold)
	require.Equal(t, pool.WorstSites*time.Millisecond, told[0].Total, "later places are not remembered")
	require.Equal(t, (pool.WorstSites-pool.WorstTold+1)*time.Millisecond, told[pool.WorstTold-1].Total)
}
