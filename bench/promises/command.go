package promises

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/encorert/encorert/bench/harness"
)

const name = "promises"

const description = `Measures what the project promises of itself and says what holds. Promises are ratios to what runs beside encorert in the
same rounds wherever there is something beside it, and medians of warm, interleaved repetitions. A promise that is missed is
measured a second time, with twice as many repetitions, before it is called a miss: others may have used the machine. The
output says so. All in all it takes about five minutes.

Verdicts: holds; MISSED; NOT MEASURED (the workload failed; counts as missed); reported (not judged); not run (something
is not installed here, such as Java); not yet built.
That every fault in docs/reliability.md has a test is promised as well: 'go test ./...' checks that.

--json prints:
  workload                    "promises"
  machine                     cpu, cores, gomaxprocs, memory_mb, os, arch, kernel, go, settings
  kept, missed                number of those that hold; names of the others that are judged
  promises                    for each: name, promise, bound, measured, first (if measured is of the second time), verdict, why,
                              runs (the invocations that the figure is of)
  measurements                for each invocation: run, again (true the second time), error, report: what
                              'encorert bench <run> --json' prints, samples included
'encorert bench compare' reads it.

Exit status: 0 all promises hold; 1 one is missed; 2 wrong usage.`

// MissedError names the promises that are not kept.
type MissedError struct{ Missed []string }

func (e *MissedError) Error() string {
	return harness.Counted(len(e.Missed), "promise") + " missed: " + strings.Join(e.Missed, "; ")
}

// Command is `encorert bench promises`, measured by the workloads given.
func Command(workloads ...harness.Workload) *cli.Command {
	return command(all(), workloads)
}

func command(promises []promise, workloads []harness.Workload) *cli.Command {
	return &cli.Command{
		Name:            name,
		Usage:           "measure what is promised, and say what holds",
		Description:     description,
		HideHelpCommand: true,
		OnUsageError:    harness.OnUsageError,
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "only", Usage: "check only the promises of these `names` (comma-separated): " + strings.Join(names(promises), ", ")},
			&cli.BoolFlag{Name: "json", Usage: "print one JSON object on stdout and nothing else there"},
			&cli.BoolFlag{Name: "quick", Hidden: true, Usage: "shrink all workloads, to see that they run"},
		},
		Action: func(stdctx context.Context, cmd *cli.Command) error {
			if cmd.Args().Present() {
				return harness.Usagef(cmd, "promises takes no argument, got %q", cmd.Args().First())
			}
			chosen := promises
			if only := cmd.StringSlice("only"); len(only) > 0 {
				for _, n := range only {
					if !slices.Contains(names(promises), n) {
						return harness.Usagef(cmd, "--only: no promise of %q, there are: %s", n, strings.Join(names(promises), ", "))
					}
				}
				chosen = nil
				for _, p := range promises {
					if slices.Contains(only, p.name) {
						chosen = append(chosen, p)
					}
				}
			}
			return checkAndPrint(stdctx, cmd, chosen, workloads)
		},
	}
}

func checkAndPrint(stdctx context.Context, cmd *cli.Command, promises []promise, workloads []harness.Workload) error {
	errWriter := cmd.Root().ErrWriter
	c := &checker{say: errWriter, quick: cmd.Bool("quick"), measure: func(stdctx context.Context, workload string, args []string) (harness.Report, error) {
		for _, w := range workloads {
			if w.Name == workload {
				return w.Measure(stdctx, errWriter, args...)
			}
		}
		return nil, fmt.Errorf("no workload %q", workload)
	}}
	lines, err := c.check(stdctx, promises)
	if err != nil {
		return err
	}
	r := newReport(lines, c.done, c.quick)
	write := r.Table
	if cmd.Bool("json") {
		write = func(w io.Writer) error { return harness.WriteJSON(w, r) }
	}
	if err := write(cmd.Root().Writer); err != nil {
		return err
	}
	if len(r.Missed) > 0 {
		return &MissedError{r.Missed}
	}
	return nil
}

// names lists what --only may name.
func names(promises []promise) (list []string) {
	for _, p := range promises {
		if !slices.Contains(list, p.name) {
			list = append(list, p.name)
		}
	}
	return list
}
