// Package excluded has files for several builds.
package excluded

// Run does nothing.
func Run(print func(...any)) { print("excluded") }
