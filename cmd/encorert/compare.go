package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/urfave/cli/v3"

	"github.com/encorert/encorert/bench/compare"
)

const compareText = `Tells whether results differ, and by how much. A.json and B.json are what 'encorert bench <workload> --json' printed,
or both what 'encorert bench promises --json' printed: then each invocation that both have is compared.

  encorert bench compare A.json B.json   what B's variants take more, or less, than A's: Welch's t, since the two were
                                         not run together
  encorert bench compare A.json          what its variants take more, or less, than encorert: Student's t on the paired
                                         differences of each round

The difference is that of the means, in the unit of the samples and in per cent of the first, each with its 95 %
interval. Below 0 means less time. An interval that holds 0 shows no difference: run more rounds (--runs).

Machines drift by the hour. If both files have a variant whose code is the same, such as go, --relative-to=go divides
each sample by that variant's of the same round before the two are compared.

--json prints:
  workload, workers, unit, test, a, a_samples   what was compared; samples are those of each variant
  b, b_samples, relative_to                     of two files
  baseline                                      within one file: the variant that others are compared with
  differences                                   variant, a_mean, b_mean, difference, low, high, pct, pct_low, pct_high,
                                                shown (less, more, not shown)
  comparisons                                   of promises, in place of differences: one such object for each run (workload and flags)
  notes                                         what else differs between the files, and need not matter

Exit status: 0 done, whatever the difference; 1 a file cannot be used, or the two are of different jobs; 2 wrong usage.`

// newCompare compares results. It needs no benchmark program.
func newCompare() *cli.Command {
	return &cli.Command{
		Name:        "compare",
		Usage:       "compare results: differences with their 95 % interval",
		UsageText:   "encorert bench compare A.json [B.json] [flags]",
		Description: compareText,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "baseline", Usage: "within one file: the `variant` that others are compared with (default: encorert)"},
			&cli.StringFlag{Name: "relative-to", Usage: "between two files: divide by this `variant`'s samples first"},
			&cli.BoolFlag{Name: "json", Usage: "print one JSON object on stdout and nothing else"},
			&cli.BoolFlag{Name: "help", Aliases: []string{"h"}, Usage: "show help"}, // that of bench hides package cli's
		},
		OnUsageError: func(_ context.Context, _ *cli.Command, err error, _ bool) error {
			return compareUsage(flagMessage(err))
		},
		Action: func(_ context.Context, cmd *cli.Command) error {
			if cmd.Bool("help") {
				return cli.ShowSubcommandHelp(cmd)
			}
			report, err := compared(cmd)
			var usage *usageError
			switch {
			case errors.As(err, &usage):
				return err
			case err != nil:
				return fmt.Errorf("encorert: %w", err)
			}
			if cmd.Bool("json") {
				return report.JSON(cmd.Root().Writer)
			}
			return report.Table(cmd.Root().Writer)
		},
	}
}

func compareUsage(text string) error {
	return &usageError{errors.New(text), "encorert bench compare --help"}
}

// compared reads the files of the command line and compares them.
func compared(cmd *cli.Command) (*compare.Report, error) {
	paths := cmd.Args().Slice()
	switch {
	case len(paths) < 1 || len(paths) > 2:
		return nil, compareUsage("bench compare wants one result or two")
	case len(paths) == 1 && cmd.IsSet("relative-to"):
		return nil, compareUsage("--relative-to is for two results; within one, --baseline says what others are compared with")
	case len(paths) == 2 && cmd.IsSet("baseline"):
		return nil, compareUsage("--baseline is for one result; between two, each variant is compared with itself")
	}
	files := make([]*compare.File, len(paths))
	for i, path := range paths {
		f, err := compare.Read(path)
		if err != nil {
			return nil, err
		}
		files[i] = f
	}
	if len(files) == 1 {
		return compare.Within(files[0], cmd.String("baseline"))
	}
	return compare.Between(files[0], files[1], cmd.String("relative-to"))
}
