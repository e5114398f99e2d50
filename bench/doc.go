// Package bench holds the benchmarks of lockstep beside every pool that a Go program could use instead of it.
//
// The module is nested so that nobody who imports lockstep downloads the rivals. Its parts are:
//
//   - rival: one small interface, and every rival behind it in its own best idiom;
//   - workload: the bodies that are measured, each written once and used by everything else;
//   - usage: what this process and the machine have taken, to tell disturbed rounds;
//   - external: the Rust rivals, which are measured by a program of their own;
//   - plot: the report's pictures;
//   - this package: the bodies as ordinary Go benchmarks, for benchstat and for profiles;
//   - cmd/compare: all rivals in one process, round by round, with the table that the README quotes.
package bench
