//go:build amd64 || arm64

package gid

const supported = true

func get() uintptr

func callerPC() uintptr
