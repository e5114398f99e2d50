package workload

// RealSieve is the concurrent prime sieve: a chain of tasks, one for each prime, that hand on what they cannot divide.
// Every number goes to where it is divided, so a prime costs more the more there are; a repetition is a prime.
var RealSieve = realRow("RealSieve", "concurrent prime sieve", "ns/prime", func(e *Env, n int) {
	e.in(func() {
		primes := firstPrimes(n)
		limit := primes[n-1]
		from := e.Pool.NewLine(0)
		first := from
		e.Pool.Go(func() {
			for v := 2; v <= limit; v++ {
				first.Put(v)
			}
			first.Close()
		})
		for _, want := range primes {
			prime, ok := from.Get()
			verify(ok && prime == want, "sieve: %d instead of the prime %d", prime, want)
			in, out := from, e.Pool.NewLine(0)
			e.Pool.Go(func() {
				for v, ok := in.Get(); ok; v, ok = in.Get() {
					if v%prime != 0 {
						out.Put(v)
					}
				}
				out.Close()
			})
			from = out
		}
		_, more := from.Get()
		verify(!more, "sieve: one prime too many")
		e.count(n)
	})
}).sized(sievePrimes, 20, 1, sievePrimes+2)

const sievePrimes = 300

// firstPrimes returns the first n primes by trial division.
func firstPrimes(n int) []int {
	primes := make([]int, 0, n)
	for v := 2; len(primes) < n; v++ {
		prime := true
		for _, p := range primes {
			if p*p > v {
				break
			}
			if v%p == 0 {
				prime = false
				break
			}
		}
		if prime {
			primes = append(primes, v)
		}
	}
	return primes
}
