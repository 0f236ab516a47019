package harness

import "golang.org/x/sys/unix"

func (m *Machine) lookUp() {
	if name, err := unix.Sysctl("machdep.cpu.brand_string"); err == nil {
		m.CPU = name
	}
	if bytes, err := unix.SysctlUint64("hw.memsize"); err == nil {
		m.MemoryMB = int64(bytes >> 20)
	}
	if release, err := unix.Sysctl("kern.osrelease"); err == nil {
		m.Kernel = release
	}
}
