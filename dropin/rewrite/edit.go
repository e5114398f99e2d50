package rewrite

import (
	"cmp"
	"slices"
)

// edit replaces the bytes from start to end by text. Edits of a file never overlap; several
// insertions at one place keep the order in which they were made.
type edit struct {
	start, end int
	text       string
}

// apply returns src with the edits made. Between edits every byte stays, which is how comments and
// directives survive.
func apply(src []byte, edits []edit) []byte {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b edit) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end))
	})
	var out []byte
	at := 0
	for _, e := range edits {
		if e.start < at {
			panic("lockstep: rewrite: edits overlap")
		}
		out = append(out, src[at:e.start]...)
		out = append(out, e.text...)
		at = e.end
	}
	return append(out, src[at:]...)
}
