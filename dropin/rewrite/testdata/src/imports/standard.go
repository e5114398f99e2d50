package imports

import (
	"strconv"
	str "strings" // renamed
)

// standard has a comment.
//
//go:noinline
func standard() {
	go send(str.Repeat("standard ", 1) + strconv.Itoa(1)) // a comment at the end
}
