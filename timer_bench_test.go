package lockstep_test

import (
	"context"
	"testing"
	"time"

	"github.com/lockstep-go/lockstep"
)

// BenchmarkTimerArmCancel sets a timer and stops it, with an hour to go, in a task; beside it package
// time and package context in the same task.
func BenchmarkTimerArmCancel(b *testing.B) {
	p := workers(b, 1)
	timer, native := lockstep.NewTimer(time.Hour), time.NewTimer(time.Hour)
	cases := []struct {
		name string
		f    func()
	}{
		{"Reset+Stop/lockstep", func() { timer.Reset(time.Hour); timer.Stop() }},
		{"Reset+Stop/time", func() { native.Reset(time.Hour); native.Stop() }},
		{"NewTimer+Stop/lockstep", func() { lockstep.NewTimer(time.Hour).Stop() }},
		{"NewTimer+Stop/time", func() { time.NewTimer(time.Hour).Stop() }},
		{"AfterFunc+Stop/lockstep", func() { lockstep.AfterFunc(time.Hour, nothing).Stop() }},
		{"AfterFunc+Stop/time", func() { time.AfterFunc(time.Hour, nothing).Stop() }},
		{"WithTimeout+cancel/lockstep", func() { _, cancel := lockstep.WithTimeout(bg, time.Hour); cancel() }},
		{"WithTimeout+cancel/context", func() { _, cancel := context.WithTimeout(bg, time.Hour); cancel() }},
		{"WithTimeout+Done+cancel/lockstep", func() { ctx, cancel := lockstep.WithTimeout(bg, time.Hour); ctx.Done(); cancel() }},
		{"WithTimeout+Done+cancel/context", func() { ctx, cancel := context.WithTimeout(bg, time.Hour); ctx.Done(); cancel() }},
	}
	for _, c := range cases {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			inTask(p, func(context.Context) {
				for b.Loop() {
					c.f()
				}
			})
		})
	}
}

// BenchmarkTimersPending sets a million AfterFuncs in a task, in an order that has nothing to do with that
// of their times, holds the worker until all are due, and then measures until all the functions
// have run as tasks.
func BenchmarkTimersPending(b *testing.B) {
	const n, spread = 1_000_000, 10 * time.Millisecond
	p := still(b, 1)
	var arm, fire time.Duration
	for b.Loop() {
		inTask(p, func(context.Context) {
			from, left := time.Now(), n
			due := from.Add(2 * time.Second)
			for i := range n {
				lockstep.AfterFunc(time.Until(due)+spread*time.Duration(i*7919%n)/n, func() { left-- })
			}
			arm += time.Since(from)
			if left < n {
				b.Fatal("the machine is too slow for this benchmark: timers were due before all were set")
			}
			for time.Since(due) < spread {
			}
			from = time.Now()
			for left > 0 {
				lockstep.Yield()
			}
			fire += time.Since(from)
		})
	}
	b.ReportMetric(float64(arm.Nanoseconds())/float64(n*b.N), "ns/arm")
	b.ReportMetric(float64(fire.Nanoseconds())/float64(n*b.N), "ns/fire")
}
