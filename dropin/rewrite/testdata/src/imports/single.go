package imports

import "strings" // one line

func single() { go send(strings.ToLower("SINGLE")) }
