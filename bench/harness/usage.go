package harness

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/urfave/cli/v3"
)

// usageError is a mistake in the command line: exit status 2.
type usageError struct {
	err     error
	command string // whose --help says how it is done
}

func (e usageError) Error() string {
	return fmt.Sprintf("%v\nRun '%s --help' for usage.", e.err, e.command)
}
func (e usageError) Unwrap() error { return e.err }

// usage marks err as a mistake in the command line of cmd.
func usage(cmd *cli.Command, err error) error { return usageError{err: err, command: cmd.FullName()} }

// Usagef is a mistake in the command line of cmd.
func Usagef(cmd *cli.Command, format string, args ...any) error {
	return usage(cmd, fmt.Errorf(format, args...))
}

// Status is the exit status for an error of a command: 0 for none, 2 for wrong usage, else 1.
func Status(err error) int {
	var wrong usageError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &wrong):
		return 2
	default:
		return 1
	}
}

// OnUsageError is the field of that name of every command of the program.
func OnUsageError(_ context.Context, cmd *cli.Command, err error, _ bool) error {
	return usage(cmd, reworded(cmd, err))
}

var invalidValue = regexp.MustCompile(`^invalid value (".*") for flag -(\S+): `)

// reworded says what the library found wrong with a flag the way flags are typed here, with two dashes, and
// with what is wanted. The library has these errors as text only; one that is not recognised is passed on.
func reworded(cmd *cli.Command, err error) error {
	text := err.Error()
	if m := invalidValue.FindStringSubmatch(text); m != nil {
		return fmt.Errorf("--%s wants %s, not %s", m[2], wanted(cmd, m[2]), m[1])
	}
	if flag, found := strings.CutPrefix(text, "flag needs an argument: "); found {
		name := strings.TrimLeft(flag, "-")
		return fmt.Errorf("--%s wants %s", name, wanted(cmd, name))
	}
	if name, found := strings.CutPrefix(text, "flag provided but not defined: -"); found {
		return fmt.Errorf("no flag --%s", name)
	}
	return err
}

// wanted describes the values of a flag.
func wanted(cmd *cli.Command, name string) string {
	for _, f := range cmd.Flags {
		if f.Names()[0] != name {
			continue
		}
		switch f.(type) {
		case *cli.IntFlag:
			return "a whole number"
		case *cli.FloatFlag:
			return "a number"
		case *cli.DurationFlag:
			return "a duration such as 90s or 2m"
		case *cli.BoolFlag:
			return "true or false, if anything"
		}
	}
	return "a value"
}
