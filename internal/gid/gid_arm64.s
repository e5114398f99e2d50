#include "textflag.h"

// func get() uintptr
TEXT ·get(SB), NOSPLIT|NOFRAME, $0-8
	MOVD g, R0
	MOVD R0, ret+0(FP)
	RET

// func callerPC() uintptr
//
// R29 is the frame pointer of the Go function that called CallerPC (which is
// inlined into it); above the saved frame pointer lies its return address.
TEXT ·callerPC(SB), NOSPLIT|NOFRAME, $0-8
	MOVD 8(R29), R0
	MOVD R0, ret+0(FP)
	RET
