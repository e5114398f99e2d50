// Package tools holds no code. Its module pins the programs that the
// repository is checked with, by the tool directives of its go.mod, so that
// every machine runs the same version of them.
//
// They live in a module of their own because a tool line in the root go.mod
// would put each tool's dependencies into the module graph of every user.
// Run one from any module of the repository:
//
//	go tool -modfile=tools/go.mod staticcheck ./...
//	go tool -modfile=tools/go.mod benchstat old.txt new.txt
package tools
