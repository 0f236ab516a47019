package harness

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// PeakRSSKiB is the peak resident memory of this process in KiB, 0 where it is unknown.
func PeakRSSKiB() int64 { return peakRSSKiB("self") }

// peakOfProcess is the peak resident memory of another process in KiB, 0 where it is unknown.
//
// It is VmHWM and not ru_maxrss of wait4: that one starts with the peak of the parent, because Linux
// carries it over exec.
func peakOfProcess(pid int) int64 { return peakRSSKiB(strconv.Itoa(pid)) }

func peakRSSKiB(process string) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%s/status", process))
	if err != nil {
		return 0
	}
	return fieldKiB(text, "VmHWM:")
}

// fieldKiB finds "Name:   123 kB" in a file of /proc.
func fieldKiB(text []byte, name string) int64 {
	for line := range bytes.Lines(text) {
		rest, found := bytes.CutPrefix(line, []byte(name))
		if !found {
			continue
		}
		fields := bytes.Fields(rest)
		if len(fields) == 0 {
			return 0
		}
		n, err := strconv.ParseInt(string(fields[0]), 10, 64)
		if err != nil {
			return 0
		}
		return n
	}
	return 0
}
