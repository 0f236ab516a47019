// Command encorert generates the code of actors and runs the project's tools.
//
// Each command is one constructor in commands; it writes to the streams of the
// root command and returns an error. Exit status: 0 done, 1 findings or a
// failed check, 2 usage.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"strings"

	"github.com/urfave/cli/v3"
)

// commands are the constructors of all commands, in the order of the help text.
var commands = []func() *cli.Command{newGen, newVet, newBench, newVersion}

func main() {
	asVetTool(os.Args)
	stdctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	status := run(stdctx, os.Args, os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// Exit statuses.
const (
	statusDone     = 0
	statusFindings = 1
	statusUsage    = 2
)

// usageError is what the caller typed wrong.
type usageError struct {
	err  error
	help string // the command line that shows what is right
}

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Errorf(format, args...), "encorert help"}
}

// errFindings ends a command that has already printed what is wrong.
var errFindings = errors.New("findings")

// run is the program without its process: arguments in, exit status out.
func run(stdctx context.Context, args []string, stdout, stderr io.Writer) int {
	err := newRoot(commands, stdout, stderr).Run(stdctx, args)
	var usage *usageError
	var ended programStatus
	switch {
	case err == nil:
		return statusDone
	case errors.As(err, &ended):
		return int(ended)
	case errors.Is(err, errFindings):
		return statusFindings
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "encorert: %v\nRun '%s' for usage.\n", err, usage.help)
		return statusUsage
	}
	fmt.Fprintln(stderr, err)
	return statusFindings
}

// singleDash is a flag as package cli writes it, whose names have more than one letter.
var singleDash = regexp.MustCompile(`(^|[ ("])-(\w[\w-]+)`)

// flagMessage returns what package cli says of a flag, with the dashes that belong to it.
func flagMessage(err error) string {
	text := strings.Replace(err.Error(), "flag provided but not defined: ", "unknown flag ", 1)
	return singleDash.ReplaceAllString(text, "$1--$2")
}

// newRoot builds the command tree. Nothing in it is global, so that tests may build it twice.
func newRoot(constructors []func() *cli.Command, stdout, stderr io.Writer) *cli.Command {
	usage := func(_ context.Context, c *cli.Command, err error, _ bool) error {
		return &usageError{errors.New(flagMessage(err)), c.FullName() + " --help"}
	}
	root := &cli.Command{
		Name:         "encorert",
		Usage:        "actors that compile to Go: code generator and tools",
		Writer:       stdout,
		ErrWriter:    stderr,
		HideVersion:  true,
		OnUsageError: usage,
		// Local: the commands take no --version.
		Flags:          []cli.Flag{&cli.BoolFlag{Name: "version", Usage: "print the versions of this program and of Go", Local: true}},
		ExitErrHandler: func(context.Context, *cli.Command, error) {}, // the exit status is main's alone
		Action: func(stdctx context.Context, c *cli.Command) error {
			if c.Args().Present() {
				return usagef("unknown command %q", c.Args().First())
			}
			if c.Bool("version") {
				return version(stdctx, c)
			}
			return cli.ShowRootCommandHelp(c)
		},
	}
	for _, construct := range constructors {
		command := construct()
		command.OnUsageError = usage
		root.Commands = append(root.Commands, command)
	}
	return root
}
