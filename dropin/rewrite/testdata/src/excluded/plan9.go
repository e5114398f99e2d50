//go:build plan9

package excluded

func plan9() { go plan9() }
