//go:build cgo

package main

import "github.com/lockstep-go/lockstep/dropin/rewrite/testdata/src/cgocall"

func init() { all["cgocall"] = cgocall.Run }
