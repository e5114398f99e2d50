package lockstep_test

import (
	"syscall"
	"testing"
)

func cpuNow() int64 {
	var r syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return r.Utime.Nano() + r.Stime.Nano()
}

func cpu(b *testing.B) func() {
	at := cpuNow()
	return func() { b.ReportMetric(float64(cpuNow()-at)/float64(b.N), "cpu-ns/op") }
}
