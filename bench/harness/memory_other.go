//go:build !unix

package harness

// PeakRSSKiB is the peak resident memory of this process in KiB: unknown on this system.
func PeakRSSKiB() int64 { return 0 }

// peakOfProcess is unknown here as well.
func peakOfProcess(int) int64 { return 0 }
