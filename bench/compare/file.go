package compare

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
)

// File is one result.
type File struct {
	Path     string               `json:"-"`
	Workload string               `json:"workload"`
	Workers  int                  `json:"workers"`
	Flags    map[string]float64   `json:"flags"`
	Unit     string               `json:"unit"` // absent in the oldest results: ms
	Samples  map[string][]float64 `json:"samples"`
	Machine  map[string]any       `json:"machine"`

	// Parts are the results of the invocations that promises or peers ran; nil for other workloads.
	Parts []*File `json:"-"`
	Run   string  `json:"-"` // of a part: the invocation
}

// FileError says why a file cannot be used.
type FileError struct {
	Path string
	Err  error
}

func (e *FileError) Error() string { return fmt.Sprintf("%s: %v", e.Path, e.Err) }
func (e *FileError) Unwrap() error { return e.Err }

// Read reads a result. Errors are *FileError.
func Read(path string) (*File, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		var at *os.PathError
		if errors.As(err, &at) {
			err = at.Err // FileError says the path
		}
		return nil, &FileError{path, err}
	}
	f, err := parse(text)
	if err != nil {
		return nil, &FileError{path, err}
	}
	f.Path = path
	return f, nil
}

// leastSamples is how many an interval needs.
const leastSamples = 2

func parse(text []byte) (*File, error) {
	const what = "no result of 'encorert bench <workload> --json'"
	var f File
	d := json.NewDecoder(bytes.NewReader(text))
	if err := d.Decode(&f); err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: something follows the JSON object", what)
	}
	if hasParts(f.Workload) {
		if err := parseParts(&f, text); err != nil {
			return nil, fmt.Errorf("no result of 'encorert bench promises --json': %w", err)
		}
		return &f, nil
	}
	if f.Workload == "" || len(f.Samples) == 0 {
		return nil, fmt.Errorf("%s: it has no workload or no samples", what)
	}
	f.Unit = cmp.Or(f.Unit, "ms")
	rounds := -1
	for _, variant := range f.variants() {
		n := len(f.Samples[variant])
		if n < leastSamples {
			return nil, fmt.Errorf("variant %s has %d sample(s), an interval needs %d: run with --runs=%d or more", variant, n, leastSamples, leastSamples)
		}
		if rounds >= 0 && n != rounds {
			return nil, fmt.Errorf("%s: variant %s has %d samples where others have %d", what, variant, n, rounds)
		}
		rounds = n
	}
	return &f, nil
}

func (f *File) variants() []string { return slices.Sorted(maps.Keys(f.Samples)) }

// has finds a variant.
func (f *File) has(variant string) error {
	if _, ok := f.Samples[variant]; !ok {
		return &FileError{f.Path, fmt.Errorf("no variant %q, there are: %s", variant, strings.Join(f.variants(), ", "))}
	}
	return nil
}

// sameJob is an error if b's figures are of another job than a's.
func sameJob(a, b *File) error {
	differ := func(what string, x, y any) error {
		return fmt.Errorf("%s and %s cannot be compared: %s is %v in the first and %v in the second", a.Path, b.Path, what, x, y)
	}
	switch {
	case a.Workload != b.Workload:
		return differ("workload", a.Workload, b.Workload)
	case a.Unit != b.Unit:
		return differ("unit", a.Unit, b.Unit)
	case a.Workers != b.Workers:
		return differ("workers", a.Workers, b.Workers)
	}
	if a.Flags == nil || b.Flags == nil { // the oldest results do not say
		return nil
	}
	for _, flag := range union(a.Flags, b.Flags) {
		x, inA := a.Flags[flag]
		y, inB := b.Flags[flag]
		if inA && inB && x != y { // a flag that only one has is new, or gone
			return differ(flag, x, y)
		}
	}
	return nil
}

// notes says what else is not the same, which need not matter.
func notes(a, b *File) (out []string) {
	var fields []string
	for _, field := range union(a.Machine, b.Machine) {
		if !reflect.DeepEqual(a.Machine[field], b.Machine[field]) {
			fields = append(fields, field)
		}
	}
	if len(fields) > 0 {
		out = append(out, "the machines differ in "+strings.Join(fields, ", "))
	}
	for _, variant := range union(a.Samples, b.Samples) {
		switch {
		case b.Samples[variant] == nil:
			out = append(out, variant+" is only in the first")
		case a.Samples[variant] == nil:
			out = append(out, variant+" is only in the second")
		}
	}
	return out
}

// union lists the keys of both, sorted.
func union[V any](a, b map[string]V) []string {
	all := maps.Clone(a)
	if all == nil {
		all = map[string]V{}
	}
	maps.Copy(all, b)
	return slices.Sorted(maps.Keys(all))
}
