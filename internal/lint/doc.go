// Package lint checks the rules of this project that no general tool knows:
// which package may import which, what a doc comment owes its reader, which
// calls have a better replacement here. They are tests rather than wishes in
// a document because a rule that nothing enforces lasts until the first
// hurried afternoon.
//
// The rules run over the files found below the module's root, committed or
// not, nested modules included. Every rule is also run on small made-up trees
// where it must fire and where it must not, since a check that cannot fail
// proves nothing.
//
// # Exceptions
//
// A line that has to break a rule says so, and why:
//
//	//lockstep:allow sleep the kernel offers no event to wait for here
//
// The mark covers its own line, the rest of its comment and the line below.
// Above the package clause it covers the file. A mark without a reason, with
// an unknown rule or with nothing left to excuse is itself a finding, so
// exceptions do not outlive their cause.
package lint
