//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// withChildren makes the end of a command that of all it has started.
func withChildren(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
}
