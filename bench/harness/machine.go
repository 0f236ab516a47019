package harness

import (
	"fmt"
	"os"
	"runtime"
	"strings"
)

// Machine states where a measurement was made. Empty and zero fields are unknown.
type Machine struct {
	CPU        string `json:"cpu"`        // the processor's name for itself
	Cores      int    `json:"cores"`      // processors that this process may use
	GOMAXPROCS int    `json:"gomaxprocs"` // of the process that runs the variants, not theirs
	MemoryMB   int64  `json:"memory_mb"`  // MiB
	OS         string `json:"os"`
	Arch       string `json:"arch"`
	Kernel     string `json:"kernel"`
	Go         string `json:"go"` // version of the toolchain that built this program
	// Settings are the environment variables that change what is measured, where they are set.
	Settings map[string]string `json:"settings,omitempty"`
}

// settings are looked up by name: a test mode left on explains figures that nobody else sees. GOGC,
// GOMEMLIMIT and GOMAXPROCS are not among them: Self sets them.
var settings = []string{"ENCORERT_MODES", "GODEBUG", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"}

// ThisMachine looks up the facts.
func ThisMachine() Machine {
	m := Machine{
		Cores:      runtime.NumCPU(),
		GOMAXPROCS: runtime.GOMAXPROCS(0),
		OS:         runtime.GOOS,
		Arch:       runtime.GOARCH,
		Go:         runtime.Version(),
	}
	for _, name := range settings {
		if v := os.Getenv(name); v != "" {
			if m.Settings == nil {
				m.Settings = map[string]string{}
			}
			m.Settings[name] = v
		}
	}
	m.lookUp()
	return m
}

// String is one line for the foot of a table.
func (m Machine) String() string {
	parts := []string{}
	if m.CPU != "" {
		parts = append(parts, m.CPU)
	}
	parts = append(parts, Counted(m.Cores, "core"))
	if m.MemoryMB != 0 {
		parts = append(parts, fmt.Sprintf("%d MB", m.MemoryMB))
	}
	parts = append(parts, strings.TrimSpace(m.OS+"/"+m.Arch+" "+m.Kernel), m.Go)
	for _, name := range settings {
		if v, set := m.Settings[name]; set {
			parts = append(parts, name+"="+v)
		}
	}
	return strings.Join(parts, ", ")
}
