package harness

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/urfave/cli/v3"
)

// Workload is one benchmark as `encorert bench` offers it.
type Workload struct {
	Name        string            // the command: `encorert bench <Name>`
	Summary     string            // one line, for `encorert bench list`
	Description string            // several paragraphs, for --help
	Flags       func() []cli.Flag // flags besides the common ones; called once for each command that is built
	Runs        int               // default of --runs; 0: DefaultRuns
	Warmup      int               // default of --warmup; 0: DefaultWarmup

	// Plan turns the flags into variants. It runs in the parent and starts nothing. Its errors are the
	// user's (wrong flags): they end the program with status 2.
	Plan func(cmd *cli.Command, common Common) (*Plan, error)

	// Child makes a variant ready inside its own process and returns the function that does one
	// repetition. params is what the variant's Launch was built with. say sends a line to the user's
	// stderr, unless they asked for JSON; it may be called while a repetition is done, by its goroutine.
	Child func(variant string, params json.RawMessage, say func(line string)) (Repeat, error)
}

// Defaults of --runs and --warmup.
const (
	DefaultRuns   = 10
	DefaultWarmup = 2
)

// Common holds the flags that every workload has.
type Common struct {
	Workers int // GOMAXPROCS of every variant, and what rt gets as Config.Workers; 1 or more
	Runs    int // counted rounds, 1 or more
	// Flags are the values of the workload's own flags that are numbers, by name, with _ for -.
	Flags map[string]float64
}

// Plan is what one invocation is to do.
type Plan struct {
	Variants []Variant
	Missing  map[string]string // variants that cannot run on this machine, and why
	// Takes is how long a repetition lasts by the flags; it is added to --timeout.
	Takes time.Duration
	// Notes: what variants say was asked for by a flag, and goes to the user's stderr with --json as well.
	Notes bool
	// Report turns the measurements into what is printed. An error fails the run.
	Report func(*Results) (Report, error)
	// Close, if set, removes what Launch functions have made. It is called once, after all processes ended.
	Close func() error
}

// Report is printed as a table, or as one JSON object by encoding/json.
type Report interface {
	Table(w io.Writer) error
}

// Variant is one way to do a workload's job.
type Variant struct {
	Name string
	// Count is what each repetition must have counted while it worked; a repetition that says otherwise
	// fails the run. 0: the workload counts nothing.
	Count int64
	// Warmup is the least number of repetitions before the counted ones, if --warmup asks for fewer.
	Warmup int
	// Needs names a variant that must have run before this one; "" for none.
	Needs string
	// Launch says how the process is started. It is called when all variants before it in the plan are
	// warm, and sees their repetitions so far: one that is to get another's memory finds it there.
	Launch func(warm *Results) (Launch, error)
	// Optional: a process that ends before its first counted repetition is reported as missing instead
	// of failing the run (a collector that this machine's Java lacks, a heap too small for it).
	// A wrong count fails the run all the same.
	Optional bool
}

// Launch is a command line, and variables that are set on top of the parent's environment.
type Launch struct {
	Args []string
	Env  []string
}

// childCommand is the hidden command of the benchmark program that plays a variant.
const childCommand = "child"

// Self launches the running executable again as the child of a workload's variant, with workers
// processors for Go's scheduler and Go's own collector at its defaults, whatever the environment says.
// params goes to Workload.Child as JSON. env is set last.
func Self(workload, variant string, workers int, params any, env ...string) func(*Results) (Launch, error) {
	return func(*Results) (Launch, error) {
		self, err := os.Executable()
		if err != nil {
			return Launch{}, fmt.Errorf("finding the running executable: %w", err)
		}
		text, err := json.Marshal(params)
		if err != nil {
			return Launch{}, err
		}
		return Launch{
			Args: []string{self, childCommand, workload, variant, string(text)},
			Env:  append([]string{fmt.Sprintf("GOMAXPROCS=%d", workers), "GOGC=100", "GOMEMLIMIT=off"}, env...),
		}, nil
	}
}

// Repeat does one repetition in the child.
type Repeat func() (Repetition, error)

// Repetition is what one repetition of the job gave.
type Repetition struct {
	Millis float64 `json:"ms"`                // time of the job, in milliseconds, without set-up and checks
	Count  int64   `json:"count,omitempty"`   // pieces of work, counted where they were done
	RSSKiB int64   `json:"rss_kib,omitempty"` // peak resident memory of the process so far, in KiB; 0: unknown
	// Values are the workload's own figures, such as the number of collections.
	Values map[string]float64 `json:"values,omitempty"`
}

// Measure says what the sample of a repetition is: the figure that is summarised and compared. Less is better.
type Measure struct {
	Unit string // the end of the names of JSON fields: "ms"
	Of   func(Repetition) float64
}

var (
	// Millis measures the time of the job.
	Millis = Measure{Unit: "ms", Of: func(r Repetition) float64 { return r.Millis }}
	// NanosEach measures the time for each piece of work.
	NanosEach = Measure{Unit: "ns", Of: func(r Repetition) float64 { return r.Millis * 1e6 / float64(r.Count) }}
)

// Value measures one of the workload's own figures.
func Value(name, unit string) Measure {
	return Measure{Unit: unit, Of: func(r Repetition) float64 { return r.Values[name] }}
}
