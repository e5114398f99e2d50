package plot

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// elements counts the elements of a picture by name; it fails if that is no well-formed XML.
func elements(t *testing.T, picture []byte) map[string]int {
	t.Helper()
	counts := make(map[string]int)
	d := xml.NewDecoder(strings.NewReader(string(picture)))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return counts
		}
		require.NoError(t, err)
		if e, ok := token.(xml.StartElement); ok {
			counts[e.Name.Local]++
		}
	}
}

func TestCurves(t *testing.T) {
	picture := Curves("cost <per task>", "workers", "ns", []Curve{
		{"one & all", []Point{{1, 10}, {2, 20}, {16, 0}}, true},
		{"two", []Point{{1, 300}, {16, math.Inf(1)}}, false},
	})
	got := elements(t, picture)
	require.Equal(t, 2, got["polyline"])
	require.Equal(t, 3, got["circle"], "values without a place on the scale are left out")
	require.Contains(t, string(picture), "cost &lt;per task&gt;")
	require.Nil(t, Curves("nothing", "x", "y", []Curve{{"one", []Point{{1, 0}}, false}}))
}

func TestRatios(t *testing.T) {
	picture := Ratios("all", "lockstep", []string{"go", "pond"}, []Line{
		{"Tree", []Ratio{{"go", 3}, {"pond", 0.5}}},
		{"Yield", []Ratio{{"go", math.NaN()}}},
	})
	require.Equal(t, 2+2, elements(t, picture)["circle"], "two of the legend, two of the rows")
	require.Nil(t, Ratios("nothing", "lockstep", nil, nil))
}

func TestSpan(t *testing.T) {
	for _, c := range []struct{ low, high, from, to float64 }{
		{3, 30, 2, 50},
		{1, 10, 1, 10},
		{7, 7, 5, 10},
		{0.013, 0.4, 0.01, 0.5},
	} {
		from, to := span([]float64{c.high, c.low})
		require.InEpsilon(t, c.from, from, 1e-6, "%v", c)
		require.InEpsilon(t, c.to, to, 1e-6, "%v", c)
	}
	require.InDelta(t, 5, scale{1, 100, 0, 10}.at(10), 1e-9)
}
