//go:build race

#include "textflag.h"

// func Get() uintptr
TEXT ·Get(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ (TLS), AX
	ADDQ ·offset(SB), AX
	MOVQ (AX), BX
	MOVQ BX, ret+0(FP)
	RET

// func Swap(ctx uintptr) uintptr
//
// It exchanges the context, and then has the detector forget who touched the goroutine's stack, by __tsan_malloc(0, 0, stack.lo, size), as
// the runtime does for the memory of a new stack. The bounds of the stack come first in the record of a goroutine.
TEXT ·Swap(SB), NOSPLIT, $40-16
	MOVQ (TLS), R14
	MOVQ R14, AX
	ADDQ ·offset(SB), AX
	MOVQ (AX), BX
	MOVQ ctx+0(FP), CX
	MOVQ CX, (AX)
	MOVQ BX, ret+8(FP)
	MOVQ $__tsan_malloc(SB), AX
	MOVQ AX, 0(SP)
	MOVQ $0, 8(SP)
	MOVQ $0, 16(SP)
	MOVQ 0(R14), BX
	MOVQ 8(R14), CX
	SUBQ BX, CX
	MOVQ BX, 24(SP)
	MOVQ CX, 32(SP)
	CALL runtime·racecall(SB)
	RET

// func code() uint64
TEXT ·code(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ $runtime·racefuncexit(SB), AX
	MOVQ (AX), AX
	MOVQ AX, ret+0(FP)
	RET
