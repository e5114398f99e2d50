package stepping

// On reports whether Bar is not 0. That it is here also lets packages that import no other one inline the Load of Bar.
func On() bool { return Bar.Load() != 0 }

// Until is set, once, by package pool, which is above those that need it. In a stepped task whose stepper asks for it, it is a point before an update of obj,
// at which the task stays until free, if not nil, reports true; then it returns true. Elsewhere it returns false, at once. It is to be called only if
// Bar is not 0.
var Until func(obj any, free func() bool) bool
