package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

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
		return usagef("gen: --check and --diff exclude each other")
	}
	files, err := ctxgen.Generate(stdctx, ctxgen.Config{Patterns: c.Args().Slice(), Tags: c.String("tags")})
	if err != nil {
		return err
	}
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real // as Generate names its files
	}
	out, errOut := c.Root().Writer, c.Root().ErrWriter
	switch {
	case len(files) == 0:
		fmt.Fprintln(errOut, "encorert: no //encore: annotations in these packages")
		return nil
	case check:
		stale, err := ctxgen.Check(files)
		if err != nil {
			return err
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
			return err
		}
		if len(text) > 0 {
			fmt.Fprintf(out, "%s", text)
			return errFindings
		}
		return nil
	}
	_, err = ctxgen.Commit(files)
	return err
}
