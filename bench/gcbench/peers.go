package gcbench

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/encorert/encorert/bench/harness"
)

//go:embed peers/GCBench.java
var javaSource []byte

//go:embed peers/gcbench.c
var cSource []byte

// How many repetitions a Java virtual machine needs to be warm. Compiled code is there after five: the first
// takes 150 to 300 ms, later ones 30 to 45. But a default heap grows for much longer (measured with 24 GB of
// memory: G1 until the 11th repetition, Parallel the 17th, ZGC the 33rd), and a repetition that touches fresh
// pages spends up to 170 ms and more in page faults, most of it in the kernel. A heap of fixed size does not.
const (
	growingHeapWarmup = 40
	fixedHeapWarmup   = 10
)

// arguments are those of every peer.
func (j Job) arguments() []string {
	list := make([]string, 0, 6)
	for _, n := range []int{j.StretchDepth, j.LongDepth, j.Array, j.MinDepth, j.MaxDepth, j.Actors} {
		list = append(list, strconv.Itoa(n))
	}
	return list
}

// userPeer reads name=command.
func userPeer(text string, job Job) (harness.Variant, error) {
	peer, command, found := strings.Cut(text, "=")
	words := strings.Fields(command)
	if !found || peer == "" || len(words) == 0 {
		return harness.Variant{}, fmt.Errorf("--peer %q: want name=command", text)
	}
	return harness.Variant{
		Name:  peer,
		Count: job.Nodes(),
		Launch: func(*harness.Results) (harness.Launch, error) {
			return harness.Launch{Args: append(words, job.arguments()...)}, nil
		},
	}, nil
}

// collectors are Java's, by the names of their flags.
var collectors = []struct{ name, flag string }{
	{"java-serial", "-XX:+UseSerialGC"},
	{"java-parallel", "-XX:+UseParallelGC"},
	{"java-g1", "-XX:+UseG1GC"},
	{"java-zgc", "-XX:+UseZGC"},
}

const (
	sameMemorySuffix = "-same-memory"
	javaUnknown      = "needs java and javac (a JDK) in PATH"
)

// addPeers plans the peers whose tools are on this machine and says what is missing for the others.
func addPeers(plan *harness.Plan, job Job, workers int) {
	w := &workshop{}
	plan.Close = w.close
	_, javaErr := exec.LookPath("java")
	_, javacErr := exec.LookPath("javac")
	if err := errors.Join(javaErr, javacErr); err != nil {
		for _, c := range collectors {
			plan.Missing[c.name], plan.Missing[c.name+sameMemorySuffix] = javaUnknown, javaUnknown
		}
	} else {
		plan.Variants = append(plan.Variants, javaPeers(w, job, workers)...)
		if !memoryIsKnown() {
			for _, c := range collectors {
				plan.Missing[c.name+sameMemorySuffix] = memoryUnknown
			}
		}
	}
	if _, err := exec.LookPath("cc"); err != nil {
		plan.Missing["c-libgc"] = "needs cc, a C compiler, in PATH"
	} else {
		plan.Variants = append(plan.Variants, libgcPeer(w, job))
	}
}

func javaPeers(w *workshop, job Job, workers int) []harness.Variant {
	compile := sync.OnceValues(func() (string, error) {
		source, err := w.file("GCBench.java", javaSource)
		if err != nil {
			return "", err
		}
		return filepath.Dir(source), w.run("javac", "-d", filepath.Dir(source), source)
	})
	peer := func(name, collector, needs string, warmup int, heap func(*harness.Results) []string) harness.Variant {
		return harness.Variant{
			Name: name, Count: job.Nodes(), Needs: needs, Optional: true, Warmup: warmup,
			Launch: func(warm *harness.Results) (harness.Launch, error) {
				classes, err := compile()
				if err != nil {
					return harness.Launch{}, err
				}
				args := []string{"java", collector, fmt.Sprintf("-XX:ActiveProcessorCount=%d", workers)}
				args = append(args, heap(warm)...)
				args = append(args, "-cp", classes, "GCBench")
				return harness.Launch{Args: append(args, job.arguments()...)}, nil
			},
		}
	}
	var list []harness.Variant
	for _, c := range collectors {
		list = append(list, peer(c.name, c.flag, "", growingHeapWarmup, func(*harness.Results) []string { return nil }))
		if memoryIsKnown() {
			list = append(list, peer(c.name+sameMemorySuffix, c.flag, variantActors, fixedHeapWarmup, sameMemory))
		}
	}
	return list
}

// sameMemory lets a virtual machine have encorert's peak resident memory as its heap, in MiB and rounded up.
// Its process is larger than that.
func sameMemory(warm *harness.Results) []string {
	megabytes := (warm.Series[variantActors].PeakRSSKiB() + 1023) / 1024
	return []string{fmt.Sprintf("-Xms%dm", megabytes), fmt.Sprintf("-Xmx%dm", megabytes)}
}

func libgcPeer(w *workshop, job Job) harness.Variant {
	return harness.Variant{
		Name: "c-libgc", Count: job.Nodes(), Optional: true,
		Launch: func(*harness.Results) (harness.Launch, error) {
			source, err := w.file("gcbench.c", cSource)
			if err != nil {
				return harness.Launch{}, err
			}
			program := strings.TrimSuffix(source, ".c")
			if err := w.run("cc", "-O2", "-o", program, source, "-lgc", "-lpthread"); err != nil {
				return harness.Launch{}, fmt.Errorf("needs Boehm's libgc with its header (Debian: libgc-dev): %w", err)
			}
			return harness.Launch{Args: append([]string{program}, job.arguments()...)}, nil
		},
	}
}

// workshop is the temporary folder in which peers are built; made when first needed.
type workshop struct{ dir string }

// file writes a source file and returns its path.
func (w *workshop) file(name string, text []byte) (string, error) {
	if w.dir == "" {
		dir, err := os.MkdirTemp("", "encorert-peers-")
		if err != nil {
			return "", err
		}
		w.dir = dir
	}
	path := filepath.Join(w.dir, name)
	return path, os.WriteFile(path, text, 0o600)
}

// run runs a compiler; what it says becomes part of the error.
func (w *workshop) run(command string, args ...string) error {
	out, err := exec.Command(command, args...).CombinedOutput()
	if err == nil {
		return nil
	}
	first, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	return fmt.Errorf("%s: %w: %s", command, err, first)
}

func (w *workshop) close() error {
	if w.dir == "" {
		return nil
	}
	return os.RemoveAll(w.dir)
}
