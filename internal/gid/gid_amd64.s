#include "textflag.h"

// func get() uintptr
TEXT ·get(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ (TLS), AX
	MOVQ AX, ret+0(FP)
	RET

// func callerPC() uintptr
//
// BP is the frame pointer of the Go function that called CallerPC (which is
// inlined into it); above the saved frame pointer lies its return address.
TEXT ·callerPC(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ 8(BP), AX
	MOVQ AX, ret+0(FP)
	RET
