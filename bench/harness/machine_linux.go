package harness

import (
	"bytes"
	"os"

	"golang.org/x/sys/unix"
)

func (m *Machine) lookUp() {
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		m.CPU = cpuModel(text)
	}
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		m.MemoryMB = fieldKiB(text, "MemTotal:") / 1024
	}
	var name unix.Utsname
	if unix.Uname(&name) == nil {
		m.Kernel = unix.ByteSliceToString(name.Release[:])
	}
}

// cpuModel finds the processor's name in /proc/cpuinfo: "model name" on x86, "Model" on some ARM boards,
// nothing on others.
func cpuModel(cpuinfo []byte) string {
	for line := range bytes.Lines(cpuinfo) {
		key, value, found := bytes.Cut(line, []byte(":"))
		if !found {
			continue
		}
		switch string(bytes.TrimSpace(key)) {
		case "model name", "Model", "cpu model":
			return string(bytes.TrimSpace(value))
		}
	}
	return ""
}
