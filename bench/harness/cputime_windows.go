package harness

import (
	"time"

	"golang.org/x/sys/windows"
)

// CPUTime is the processor time that this process has used, in user code and in the system. ok is false where it is
// unknown.
func CPUTime() (_ time.Duration, ok bool) {
	var created, ended, system, user windows.Filetime
	if windows.GetProcessTimes(windows.CurrentProcess(), &created, &ended, &system, &user) != nil {
		return 0, false
	}
	return span(system) + span(user), true
}

// span is a length of time, which Windows keeps in units of 100 ns.
func span(t windows.Filetime) time.Duration {
	return time.Duration(int64(t.HighDateTime)<<32|int64(t.LowDateTime)) * 100
}
