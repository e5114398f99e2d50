package chans

// Generic code is compiled in the package that instantiates it, and there the compiler inlines a function of a third package, such as an atomic load, only if this package
// has inlined it as well. So everything is instantiated here once: it takes two calls out of each send to a third of its time, and the linker drops it.
var (
	_ any = (*Chan[int])(nil)
	_ any = (*Oneshot[int])(nil)
	_ any = (*SPSC[int])(nil)
)
