//go:build !race || !amd64

package racectx

// Enabled says whether the program is built for the race detector, on a platform where contexts can be exchanged.
const Enabled = false

// Get returns 0: there are no contexts.
func Get() uintptr { return 0 }

// Swap does nothing.
func Swap(uintptr) uintptr { return 0 }

// Supported reports whether contexts can be exchanged.
func Supported() bool { return false }

// Acquire does nothing.
func Acquire[T any](*T) {}

// Release does nothing.
func Release[T any](*T) {}

// ReleaseMerge does nothing.
func ReleaseMerge[T any](*T) {}

// Reports returns 0: nobody looks for races.
func Reports() int { return 0 }
