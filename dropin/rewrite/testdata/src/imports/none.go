// Package imports has files with every kind of import declarations. // not an import comment
package imports // import comments are older than modules

func none() { go send("no imports") }
