//go:build linux && amd64 && !race

package biased

const sysMembarrier = 324

// release is a plain store: amd64 keeps it after all earlier loads and
// stores. The atomic store would be an exchange, six times the price.
func release(p *uint32) { *p = 0 }
