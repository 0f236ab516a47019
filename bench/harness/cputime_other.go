//go:build !unix && !windows

package harness

import "time"

// CPUTime is the processor time that this process has used: unknown on this system.
func CPUTime() (_ time.Duration, ok bool) { return 0, false }
