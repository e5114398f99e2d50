//go:build linux && arm64 && !race

package biased

import "sync/atomic" //lockstep:allow stdatomic a store-release, ADR 0003

const sysMembarrier = 283

// release is a store-release, one instruction here.
func release(p *uint32) { atomic.StoreUint32(p, 0) }
