package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v3"

	"github.com/encorert/encorert/bench/harness"
	"github.com/encorert/encorert/bench/stats"
	"github.com/encorert/encorert/bench/versus"
)

// job is a line of the table, measured on 1 and on 2 workers.
type job struct {
	title    string
	workload string
	flags    string
	rate     bool // shown as million messages a second instead of ns
	quick    string
}

func jobs() (list []job) {
	for _, cell := range [][2]int{{25, 1}, {25, 10}, {25, 100}, {250, 1}, {250, 10}, {250, 100}} {
		list = append(list, job{
			title: fmt.Sprintf("ubench %d x %d", cell[0], cell[1]), workload: "ubench", rate: true,
			flags: fmt.Sprintf("--pingers=%d --initial-pings=%d --seconds=0.25 --warmup=1", cell[0], cell[1]), quick: "--seconds=0.02",
		})
	}
	return append(list,
		job{title: "ping-pong, round trip", workload: "pingpong", flags: "--round-trips=200000", quick: "--round-trips=1000"},
		job{title: "ring of 100, hop", workload: "ring", flags: "--hops=200000", quick: "--hops=1000"},
		job{title: "ask, round trip", workload: "ask", quick: "--times=100"},
		job{title: "spawn, message, gone", workload: "spawn", quick: "--times=100"},
	)
}

// addAll makes the program do all jobs where no workload is named.
func addAll(program *cli.Command, workloads []harness.Workload) {
	program.Name, program.Usage = "peers", "encorert beside other actor libraries"
	program.UsageText = "go run . [flags]\ngo run . <workload> [flags]\ngo run . list"
	program.Description = "Without a workload: all of them, on 1 and on 2 workers, in one table."
	unnamed := program.Action
	program.Flags = append(program.Flags,
		&cli.IntFlag{Name: "runs", Value: 5, Usage: "counted repetitions of each variant", Local: true},
		&cli.StringSliceFlag{Name: "variants", Usage: "run only these `names` (comma-separated): " + strings.Join(variants(), ", "), Local: true},
		&cli.BoolFlag{Name: "json", Usage: "print one JSON object on stdout and nothing else", Local: true},
		&cli.BoolFlag{Name: "quick", Hidden: true, Usage: "shrink all workloads, to see that they run", Local: true},
	)
	program.Action = func(stdctx context.Context, cmd *cli.Command) error {
		if cmd.Args().Present() {
			return unnamed(stdctx, cmd) // there is no such workload
		}
		chosen := variants()
		if only := cmd.StringSlice("variants"); len(only) > 0 {
			for _, v := range only {
				if !slices.Contains(chosen, v) {
					return harness.Usagef(cmd, "--variants: no variant %q, there are: %s", v, strings.Join(chosen, ", "))
				}
			}
			chosen = only
		}
		if cmd.Int("runs") < 1 {
			return harness.Usagef(cmd, "--runs must be 1 or more")
		}
		r, err := runAll(stdctx, cmd, workloads, chosen)
		if err != nil {
			return err
		}
		if cmd.Bool("json") {
			return harness.WriteJSON(cmd.Root().Writer, r)
		}
		return r.Table(cmd.Root().Writer)
	}
}

func variants() []string { return append([]string{versus.Actors}, libraries...) }

// report is the JSON object.
type report struct {
	Workload     string          `json:"workload"` // "peers"
	Machine      harness.Machine `json:"machine"`
	Measurements []measurement   `json:"measurements"`

	variants []string
	lines    []line
	missing  map[string]string // libraries that could not be built, and why
}

// measurement is an invocation of a workload, as `promises` has them.
type measurement struct {
	Run    string         `json:"run"`
	Report map[string]any `json:"report"` // what the workload prints with --json, but the machine
}

// line holds the medians of a job in ns, by variant, on 1 and on 2 workers.
type line struct {
	job
	nanos [2]map[string]float64
}

func runAll(stdctx context.Context, cmd *cli.Command, workloads []harness.Workload, chosen []string) (*report, error) {
	r := &report{Workload: "peers", Machine: harness.ThisMachine(), variants: chosen}
	list := jobs()
	for i, j := range list {
		l := line{job: j}
		w := workloads[slices.IndexFunc(workloads, func(w harness.Workload) bool { return w.Name == j.workload })]
		for at := range l.nanos {
			flags := strings.TrimSpace(fmt.Sprintf("%s --workers=%d", j.flags, at+1))
			fmt.Fprintf(cmd.Root().ErrWriter, "%d of %d: %s %s\n", 2*i+at+1, 2*len(list), j.workload, flags)
			args := append(strings.Fields(flags), "--variants="+strings.Join(chosen, ","))
			if cmd.Bool("quick") {
				args = append(args, j.quick, "--warmup=1")
			}
			measured, err := w.Measure(stdctx, cmd.Root().ErrWriter, append(args, fmt.Sprintf("--runs=%d", cmd.Int("runs")))...)
			if err != nil {
				return nil, err
			}
			m := measurement{Run: j.workload + " " + flags}
			if l.nanos[at], err = m.take(measured); err != nil {
				return nil, err
			}
			r.Measurements = append(r.Measurements, m)
			r.lack(m)
		}
		r.lines = append(r.lines, l)
	}
	return r, nil
}

// take keeps a report and returns its medians.
func (m *measurement) take(measured harness.Report) (map[string]float64, error) {
	text, err := json.Marshal(measured)
	if err != nil {
		return nil, err
	}
	var medians struct {
		Variants map[string]struct {
			Nanos float64 `json:"median_ns"`
		} `json:"variants"`
	}
	if err := json.Unmarshal(text, &medians); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &m.Report); err != nil {
		return nil, err
	}
	delete(m.Report, "machine")
	out := map[string]float64{}
	for name, v := range medians.Variants {
		out[name] = v.Nanos
	}
	return out, nil
}

// lack notes the libraries that did not run.
func (r *report) lack(m measurement) {
	missing, _ := m.Report["missing"].(map[string]any)
	for library, why := range missing {
		if r.missing == nil {
			r.missing = map[string]string{}
		}
		r.missing[library] = fmt.Sprint(why)
	}
}

// Table prints the report for people.
func (r *report) Table(w io.Writer) error {
	wide := 0
	for _, l := range r.lines {
		wide = max(wide, len(l.title)) // names go left, which tabwriter does only for all columns or none
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "%-*s\t\t%s\t\n", wide, "1 / 2 workers", strings.Join(r.variants, "\t"))
	for _, l := range r.lines {
		unit := "ns"
		if l.rate {
			unit = "M/s"
		}
		fmt.Fprintf(t, "%-*s\t%s\t", wide, l.title, unit)
		for _, v := range r.variants {
			fmt.Fprintf(t, "%s / %s\t", l.figure(0, v), l.figure(1, v))
		}
		fmt.Fprintln(t)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, library := range slices.Sorted(maps.Keys(r.missing)) {
		fmt.Fprintf(w, "not run: %s: %s\n", library, r.missing[library])
	}
	_, err := fmt.Fprintln(w, r.Machine)
	return err
}

func (l line) figure(at int, variant string) string {
	nanos, ran := l.nanos[at][variant]
	switch {
	case !ran || nanos == 0:
		return "-"
	case l.rate:
		return fmt.Sprintf("%.1f", 1000/nanos)
	default:
		return fmt.Sprint(stats.Round(nanos, 0))
	}
}
