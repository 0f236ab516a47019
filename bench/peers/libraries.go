package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/urfave/cli/v3"

	"github.com/encorert/encorert/bench/harness"
	"github.com/encorert/encorert/bench/versus"
)

// libraries are the folders of their programs.
var libraries = []string{"protoactor", "hollywood", "goakt"}

// withLibraries adds the libraries to a workload, and takes the goroutines away, which encorert's own benchmarks have.
func withLibraries(w harness.Workload, b *builder) harness.Workload {
	plan := w.Plan
	w.Plan = func(cmd *cli.Command, common harness.Common) (*harness.Plan, error) {
		p, err := plan(cmd, common)
		if err != nil {
			return nil, err
		}
		p.Variants = slices.DeleteFunc(p.Variants, func(v harness.Variant) bool { return v.Name != versus.Actors })
		if len(p.Variants) != 1 {
			return nil, errors.New("the workload has no variant " + versus.Actors)
		}
		ours := p.Variants[0]
		p.Missing = map[string]string{}
		for _, library := range libraries {
			if chosen := cmd.StringSlice("variants"); len(chosen) > 0 && !slices.Contains(chosen, library) {
				continue // need not be built
			}
			program, err := b.program(library)
			if err != nil {
				p.Missing[library] = err.Error()
				continue
			}
			variant := ours
			variant.Name = library
			// The library's program takes the command line of encorert's variant: <program> child <workload> <variant> <params>.
			variant.Launch = func(warm *harness.Results) (harness.Launch, error) {
				l, err := ours.Launch(warm)
				if err != nil {
					return l, err
				}
				l.Args = slices.Clone(l.Args)
				l.Args[0], l.Args[3] = program, library
				return l, nil
			}
			p.Variants = append(p.Variants, variant)
		}
		return p, nil
	}
	return w
}

// builder builds the programs of libraries, each once, into a folder that close removes.
type builder struct {
	dir   string
	built map[string]built
}

type built struct {
	path string
	err  error
}

// program builds the program of a library, unless it is there.
func (b *builder) program(library string) (string, error) {
	if done, ok := b.built[library]; ok {
		return done.path, done.err
	}
	path, err := b.build(library)
	if b.built == nil {
		b.built = map[string]built{}
	}
	b.built[library] = built{path, err}
	return path, err
}

// source is the folder of this module, from which go run compiled this file.
var source = sync.OnceValue(func() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(file)
})

func (b *builder) build(library string) (string, error) {
	if b.dir == "" {
		dir, err := os.MkdirTemp("", "encorert-peers-")
		if err != nil {
			return "", err
		}
		b.dir = dir
	}
	path := filepath.Join(b.dir, library)
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	build := exec.Command("go", "build", "-o", path, "./"+library)
	build.Dir = source()
	if out, err := build.CombinedOutput(); err != nil {
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		return "", fmt.Errorf("building it: %w: %s", err, lines[len(lines)-1])
	}
	return path, nil
}

func (b *builder) close() {
	if b.dir != "" {
		os.RemoveAll(b.dir)
	}
}
