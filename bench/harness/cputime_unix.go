//go:build unix

package harness

import (
	"time"

	"golang.org/x/sys/unix"
)

// CPUTime is the processor time that this process has used, in user code and in the system. ok is false where it is
// unknown.
func CPUTime() (_ time.Duration, ok bool) {
	var usage unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &usage) != nil {
		return 0, false
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()), true
}
