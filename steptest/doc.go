// Package steptest tests concurrent code by trying many schedules of it, each of which can be repeated.
//
//	func TestTransfer(t *testing.T) {
//		steptest.Run(t, func(t *steptest.T) {
//			var bank Bank
//			g := lockstep.Group{}
//			g.Go(func() error { return bank.Move("a", "b", 10) })
//			g.Go(func() error { return bank.Move("b", "a", 10) })
//			require.NoError(t, g.Wait())
//			require.Equal(t, 0, bank.Sum())
//		})
//	}
//
// Run calls the body once for each schedule. Its tasks run one at a time, and at each point a strategy chooses which one goes on. Points are
// where tasks meet: they begin, spawn, yield, wait, lock, unlock, send, receive, and so on; what lies between two points is done
// without interruption. A schedule in which the body fails, panics, deadlocks, leaves tasks waiting or does not come to an end fails the
// test, with a trace, and with a token that repeats it: go test -run '^TestTransfer$' -steptest.replay=TOKEN.
//
// # What is guaranteed
//
// The same token, on the same binary, leads to the same run, if the body depends on nothing else. That is checked: one schedule of 64, and each that
// fails, is run again and compared.
//
// A failure is an execution that the code can have on a real pool, with sequentially consistent memory, which is what Go's atomics give.
// Workers take as long as they like and may be interrupted anywhere, as by the operating system; time may pass, also while tasks could run.
//
// The first failing schedule is a matter of the seed, which is made from the test's name, so a test finds the same each time.
//
// # What is not
//
// Passing says that the schedules that were tried pass. Only a search that is complete, which Run says, has tried all.
//
// What lies between two points is not interleaved: unprotected variables need [T.Point] or [Var], or the race detector.
//
// Native channels, locks and timers that make a task wait hold up the test, which then fails, and says where. That they are used without waiting is
// not seen.
//
// tasksync.Cond.Signal wakes the one that has waited longest, and channels serve in order, as they guarantee; so that is no choice.
//
// # Where the ideas are from
//
// shuttle (AWS), Coyote (Microsoft), loom (tokio), CHESS, Lincheck (the columns of the trace), rapid (the flags) and Go's fuzzing (the corpus). The
// strategies name their papers.
package steptest
