//go:build unix && !linux

package harness

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// PeakRSSKiB is the peak resident memory of this process in KiB, 0 where it is unknown.
func PeakRSSKiB() int64 {
	var usage unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return int64(usage.Maxrss) / 1024 // bytes there, KiB on the BSDs
	}
	return int64(usage.Maxrss)
}

// peakOfProcess is unknown here; processes that report their own peak are not asked.
func peakOfProcess(int) int64 { return 0 }
