package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/encorert/encorert/ctxgen"
	"github.com/urfave/cli/v3"
)

// newGen is the command that writes, checks or compares generated files.
func newGen() *cli.Command {
	return &cli.Command{
		Name:      "gen",
		Usage:     "generate the code of annotated actors and objects",
		ArgsUsage: "[packages]",
		Description: "Writes <package>_encore.go for each of the packages (default: the one in the current directory)\n" +
			"that has //encore: annotations. Nothing is written when there is an error, or nothing has changed.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "check", Usage: "write nothing; list the files that are not up to date and exit with 1 if there are any"},
			&cli.BoolFlag{Name: "diff", Usage: "write nothing; print what would change as a unified diff and exit with 1 if there is anything"},
			&cli.StringFlag{Name: "tags", Usage: "build `tags`, separated by commas"},
		},
		Action: gen,
	}
}

func gen(stdctx context.Context, c *cli.Command) error {
	check, diff := c.Bool("check"), c.Bool("diff")
	if check && diff {
		return &usageError{errors.New("--check and --diff exclude each other"), c.FullName() + " --help"}
	}
	out, errOut := c.Root().Writer, c.Root().ErrWriter
	dir, err := workingDirectory()
	if err != nil {
		return errors.New(genMessage(err))
	}
	matched, excluded := 0, 0
	files, err := ctxgen.Generate(stdctx, ctxgen.Config{
		Patterns: c.Args().Slice(), Tags: c.String("tags"),
		Matched: func(packages int) { matched = packages },
		Excluded: func(sources []string, output string) {
			excluded++
			fmt.Fprintln(errOut, excludedMessage(sources, output, dir))
		},
	})
	if err != nil {
		fmt.Fprintln(errOut, genMessage(err))
		return errFindings
	}
	switch {
	case len(files) == 0 && excluded > 0: // which has been said
		return nil
	case len(files) == 0:
		packages := "packages"
		if matched == 1 {
			packages = "package"
		}
		fmt.Fprintf(errOut, "encorert: no annotations in %d %s\n", matched, packages)
		return nil
	case check:
		stale, err := ctxgen.Check(files)
		if err != nil {
			return errors.New(genMessage(err))
		}
		for _, f := range stale {
			fmt.Fprintln(out, ctxgen.RelativePath(f.Path, dir))
		}
		if len(stale) > 0 {
			fmt.Fprintln(errOut, "encorert: not up to date: run encorert gen")
			return errFindings
		}
		return nil
	case diff:
		text, err := ctxgen.Diff(files, dir)
		if err != nil {
			return errors.New(genMessage(err))
		}
		if len(text) > 0 {
			fmt.Fprintf(out, "%s", text)
			return errFindings
		}
		return nil
	}
	if _, err = ctxgen.Commit(files); err != nil {
		return errors.New(genMessage(err))
	}
	return nil
}

// excludedMessage says why a package with annotations has none for this run.
func excludedMessage(sources []string, output, dir string) string {
	names := make([]string, len(sources))
	for i, name := range sources {
		names[i] = ctxgen.RelativePath(name, dir)
	}
	text := "encorert: annotations in files that the build tags exclude: " + strings.Join(names, ", ")
	if output != "" {
		text += "; output left as it is: " + ctxgen.RelativePath(output, dir)
	}
	return text
}

// genMessage writes what package ctxgen returned: faults in the source as "file:line:col: ...", as compilers do, and
// all else with the program's name in front.
func genMessage(err error) string {
	const program = "encorert: "
	var faults ctxgen.Errors
	if !errors.As(err, &faults) {
		return program + strings.TrimPrefix(err.Error(), "ctxgen: ")
	}
	lines := strings.Split(err.Error(), "\n") // one for each of the first faults
	for i := range min(len(lines), len(faults)) {
		if faults[i].Pos.Filename == "" {
			lines[i] = program + lines[i]
		}
	}
	return strings.Join(lines, "\n")
}

// workingDirectory is the current directory by the name that the go command gives to files in it.
func workingDirectory() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	return dir, nil
}
