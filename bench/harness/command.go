package harness

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"
)

// Program is the command tree of the benchmark program: one command for each workload, `list`, and the
// hidden one that plays a variant. Reader, Writer and ErrWriter of the result are the caller's to set.
func Program(workloads ...Workload) *cli.Command {
	root := &cli.Command{
		Name:            "encorert bench",
		Usage:           "run the benchmarks, compare results, measure what is promised",
		UsageText:       "encorert bench list\nencorert bench <workload> [flags]\nencorert bench <workload> --help\nencorert bench promises [flags]",
		Description:     programText,
		HideHelpCommand: true,
		OnUsageError:    OnUsageError,
		ExitErrHandler:  func(context.Context, *cli.Command, error) {}, // main exits
		Action:          noWorkload,
	}
	root.Commands = append(root.Commands, listCommand(workloads))
	for _, w := range workloads {
		root.Commands = append(root.Commands, workloadCommand(w))
	}
	root.Commands = append(root.Commands, childOf(workloads))
	return root
}

const programText = `This is the program behind "encorert bench". What the columns of its tables mean and its exit statuses are
in "encorert bench --help".`

func noWorkload(_ context.Context, cmd *cli.Command) error {
	if name := cmd.Args().First(); name != "" {
		return Usagef(cmd, "no workload %q; 'encorert bench list' names them", name)
	}
	return Usagef(cmd, "which workload? 'encorert bench list' names them")
}

func listCommand(workloads []Workload) *cli.Command {
	return &cli.Command{
		Name:         "list",
		Usage:        "name the workloads, one line each",
		OnUsageError: OnUsageError,
		Action: func(_ context.Context, cmd *cli.Command) error {
			if cmd.Args().Present() {
				return Usagef(cmd, "list takes no argument, got %q", cmd.Args().First())
			}
			wide := 0
			for _, w := range workloads {
				wide = max(wide, len(w.Name))
			}
			for _, w := range workloads {
				if _, err := fmt.Fprintf(cmd.Root().Writer, "%-*s  %s\n", wide, w.Name, w.Summary); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// commonFlags are those that every workload has.
func commonFlags(w Workload) []cli.Flag {
	return []cli.Flag{
		&cli.IntFlag{Name: "runs", Value: cmp.Or(w.Runs, DefaultRuns), Usage: "counted repetitions of each variant"},
		&cli.IntFlag{Name: "warmup", Value: cmp.Or(w.Warmup, DefaultWarmup), Usage: "repetitions of each variant before the counted ones; more where a variant needs more to be warm"},
		&cli.IntFlag{Name: "workers", Usage: "workers of the runtime, and GOMAXPROCS of every variant", Value: runtime.GOMAXPROCS(0)},
		&cli.StringSliceFlag{Name: "variants", Usage: "run only these `names` (comma-separated)"},
		&cli.DurationFlag{Name: "timeout", Value: time.Minute, Usage: "longest time for one repetition"},
		&cli.BoolFlag{Name: "json", Usage: "print one JSON object on stdout and nothing else"},
	}
}

func workloadCommand(w Workload) *cli.Command {
	flags := commonFlags(w)
	if w.Flags != nil {
		flags = append(w.Flags(), flags...)
	}
	return &cli.Command{
		Name:            w.Name,
		Usage:           w.Summary,
		Description:     w.Description,
		Flags:           flags,
		HideHelpCommand: true,
		OnUsageError:    OnUsageError,
		Action: func(stdctx context.Context, cmd *cli.Command) error {
			report, err := measure(stdctx, cmd, w)
			if err != nil {
				return err
			}
			if cmd.Bool("json") {
				return WriteJSON(cmd.Root().Writer, report)
			}
			return report.Table(cmd.Root().Writer)
		},
	}
}

// Measure does what the workload's command does with args, and returns the report instead of printing it. If progress
// is a terminal, a bar is drawn there. For an error that Status takes for wrong usage, args are wrong.
func (w Workload) Measure(stdctx context.Context, progress io.Writer, args ...string) (Report, error) {
	var report Report
	command := workloadCommand(w)
	command.Writer, command.ErrWriter = io.Discard, progress
	command.ExitErrHandler = func(context.Context, *cli.Command, error) {}
	command.Action = func(stdctx context.Context, cmd *cli.Command) (err error) {
		report, err = measure(stdctx, cmd, w)
		return err
	}
	err := command.Run(stdctx, slices.Concat([]string{w.Name}, args, []string{"--json"}))
	return report, err
}

// measure runs a workload with the flags of cmd.
func measure(stdctx context.Context, cmd *cli.Command, w Workload) (Report, error) {
	if cmd.Args().Present() {
		return nil, Usagef(cmd, "%s takes no argument, got %q", w.Name, cmd.Args().First())
	}
	common := Common{Workers: cmd.Int("workers"), Runs: cmd.Int("runs"), Flags: numbers(cmd, w)}
	runner := Runner{Runs: common.Runs, Warmup: cmd.Int("warmup"), Timeout: cmd.Duration("timeout")}
	switch {
	case common.Workers < 1:
		return nil, Usagef(cmd, "--workers must be 1 or more")
	case common.Runs < 1:
		return nil, Usagef(cmd, "--runs must be 1 or more")
	case runner.Warmup < 1:
		return nil, Usagef(cmd, "--warmup must be 1 or more: the times are to be warm")
	case runner.Timeout <= 0:
		return nil, Usagef(cmd, "--timeout must be above zero")
	}
	plan, err := w.Plan(cmd, common)
	if err != nil {
		return nil, usage(cmd, err)
	}
	if err := plan.restrict(cmd.StringSlice("variants")); err != nil {
		return nil, usage(cmd, err)
	}
	runner.Timeout += plan.Takes
	said := newProgress(cmd.Root().ErrWriter, runner.steps(plan))
	defer said.done()
	runner.Step = said.step
	if plan.Notes || !cmd.Bool("json") {
		runner.Note = said.note
	}
	res, err := runner.Run(stdctx, plan)
	said.done()
	if plan.Close != nil {
		err = errors.Join(err, plan.Close())
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", w.Name, err)
	}
	report, err := plan.Report(res)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", w.Name, err)
	}
	return report, nil
}

// numbers are the values of the workload's own flags that are numbers.
func numbers(cmd *cli.Command, w Workload) map[string]float64 {
	if w.Flags == nil {
		return nil
	}
	values := map[string]float64{}
	for _, f := range w.Flags() {
		name := f.Names()[0]
		field := strings.ReplaceAll(name, "-", "_")
		switch f.(type) {
		case *cli.IntFlag:
			values[field] = float64(cmd.Int(name))
		case *cli.FloatFlag:
			values[field] = cmd.Float(name)
		}
	}
	return values
}

// restrict drops the variants that names, if there are any, do not contain. One that cannot run here may be named.
func (p *Plan) restrict(names []string) error {
	if len(names) == 0 {
		return nil
	}
	known := make([]string, len(p.Variants))
	for i, v := range p.Variants {
		known[i] = v.Name
	}
	for _, name := range names {
		if _, missing := p.Missing[name]; !missing && !slices.Contains(known, name) {
			return fmt.Errorf("--variants: no variant %q, there are: %s", name, strings.Join(known, ", "))
		}
	}
	for _, v := range p.Variants {
		if slices.Contains(names, v.Name) && v.Needs != "" && !slices.Contains(names, v.Needs) {
			return fmt.Errorf("--variants: %s needs %s as well", v.Name, v.Needs)
		}
	}
	p.Variants = slices.DeleteFunc(p.Variants, func(v Variant) bool { return !slices.Contains(names, v.Name) })
	return nil
}

// childOf is the hidden command that Self launches: <workload> <variant> <params>.
func childOf(workloads []Workload) *cli.Command {
	return &cli.Command{
		Name:            childCommand,
		Hidden:          true,
		SkipFlagParsing: true,
		Action: func(_ context.Context, cmd *cli.Command) error {
			args := cmd.Args().Slice()
			if len(args) != 3 {
				return fmt.Errorf("%s wants a workload, a variant and its parameters", childCommand)
			}
			for _, w := range workloads {
				if w.Name == args[0] {
					return play(w, args[1], args[2], cmd.Root().Reader, cmd.Root().Writer)
				}
			}
			return fmt.Errorf("%s: no workload %q", childCommand, args[0])
		},
	}
}

func play(w Workload, variant, params string, in io.Reader, out io.Writer) error {
	told := newTeller(out)
	repeat, err := w.Child(variant, []byte(params), told.note)
	if err != nil {
		return fmt.Errorf("%s: %s: %w", w.Name, variant, err)
	}
	return serve(in, told, repeat)
}
