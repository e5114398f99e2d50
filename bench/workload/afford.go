package workload

import (
	"os"
	"strconv"
	"strings"
)

// affordable returns n, or a tenth of it where the machine does not say that it has memory for n things of that size.
func affordable(n, bytesEach int) int {
	if available() >= int64(n)*int64(bytesEach) {
		return n
	}
	return n / 10
}

// available is how many bytes of memory Linux could give to a program, 0 if that is not known.
func available() int64 {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) == 3 && fields[0] == "MemAvailable:" {
			kib, err := strconv.ParseInt(fields[1], 10, 64)
			if err != nil {
				return 0
			}
			return kib << 10
		}
	}
	return 0
}
