package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/urfave/cli/v3"
)

var update = flag.Bool("update", false, "write the golden files of testdata anew")

// TestMain lets the test binary play the benchmark program: Self starts it again with the hidden command.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == childCommand {
		program := Program(fake(nil))
		program.Reader, program.Writer, program.ErrWriter = os.Stdin, os.Stdout, os.Stderr
		err := program.Run(context.Background(), os.Args)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(Status(err))
	}
	// A race build waits a second at its exit, and here many children exit.
	os.Setenv("GORACE", strings.TrimSpace(os.Getenv("GORACE")+" atexit_sleep_ms=0"))
	os.Exit(m.Run())
}

// fakeCount is what an honest repetition of the fake workload counts.
const fakeCount = 42

// fake is a workload whose variants misbehave in all ways that the harness has to notice. The plan has the
// variants named, or steady and slow.
func fake(names []string) Workload {
	return Workload{
		Name:        "fake",
		Summary:     "variants that answer and variants that do not",
		Description: "Fake does nothing.",
		Flags: func() []cli.Flag {
			return []cli.Flag{&cli.BoolFlag{Name: "refuse"}, &cli.IntFlag{Name: "some-size", Value: 7}, &cli.FloatFlag{Name: "part", Value: 0.5}}
		},
		Plan: func(cmd *cli.Command, common Common) (*Plan, error) {
			if cmd.Bool("refuse") {
				return nil, errors.New("--refuse given")
			}
			return fakePlan(common, names...), nil
		},
		Child: fakeChild,
	}
}

func fakePlan(common Common, names ...string) *Plan {
	if len(names) == 0 {
		names = []string{"steady", "slow"}
	}
	plan := &Plan{Report: func(res *Results) (Report, error) {
		return fakeReport{NewHead("fake", common, res, Millis), res.Order}, nil
	}}
	for _, name := range names {
		plan.Variants = append(plan.Variants, fakeVariant(name))
	}
	return plan
}

func fakeVariant(name string) Variant {
	return Variant{Name: name, Count: fakeCount, Launch: Self("fake", name, 1, map[string]int{"count": fakeCount}, "FAKE=set")}
}

type fakeReport struct {
	Head
	order []string
}

func (r fakeReport) Table(w io.Writer) error { return r.Head.Table(w, r.order) }

func fakeChild(variant string, params json.RawMessage, say func(string)) (Repeat, error) {
	var p struct{ Count int64 }
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, err
	}
	n := 0
	return func() (Repetition, error) {
		n++
		rep := Repetition{Millis: 10 + float64(n), Count: p.Count, Values: map[string]float64{"collections": float64(2 * n)}}
		switch variant {
		case "steady":
		case "talks":
			say(fmt.Sprintf("repetition %d", n))
		case "slow":
			rep.Millis *= 3
		case "environment":
			if os.Getenv("GOMAXPROCS") != "1" || os.Getenv("GOGC") != "100" || os.Getenv("GOMEMLIMIT") != "off" || os.Getenv("FAKE") != "set" {
				return rep, errors.New("environment not set")
			}
		case "miscounts":
			rep.Count--
		case "fails":
			return rep, errors.New("the tree is damaged")
		case "dies":
			fmt.Fprintln(os.Stderr, "panic: no more memory")
			os.Exit(3)
		case "dies-later":
			if n > 2 {
				os.Exit(3)
			}
		case "garbage":
			fmt.Println("warming up...")
		case "chatters":
			fmt.Fprintln(os.Stderr, "a warning")
			if n == 4 { // one answer too many, in the last repetition
				fmt.Println(`{"ms":1,"count":42}`)
			}
		case "hangs":
			time.Sleep(time.Hour)
		}
		return rep, nil
	}, nil
}

// requireGolden compares got with a file of testdata.
func requireGolden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, got, 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got))
}

// runProgram runs the program with the fake workload and returns what it printed.
func runProgram(t *testing.T, names []string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	var out, said bytes.Buffer
	program := Program(fake(names))
	program.Reader, program.Writer, program.ErrWriter = bytes.NewReader(nil), &out, &said
	err = program.Run(t.Context(), append([]string{"encorert bench"}, args...))
	return out.String(), said.String(), err
}
