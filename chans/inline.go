package chans

// Generic code is compiled in the package that instantiates it, and there the compiler inlines a function of a third package, such as an atomic load, only if this package
// has inlined it as well. So everything is instantiated here once, and the linker drops it; without this a message costs a third more (ADR 0003).
var (
	_ any = (*Chan[int])(nil)
	_ any = (*Oneshot[int])(nil)
	_ any = (*SPSC[int])(nil)
)
