package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/encorert/encorert/ctxgen"
	"github.com/encorert/encorert/ctxgen/ctxcheck"
	"github.com/urfave/cli/v3"
	"golang.org/x/tools/go/analysis/unitchecker"
)

// newVet is the command that checks contexts, frames and objects.
func newVet() *cli.Command {
	return &cli.Command{
		Name:      "vet",
		Usage:     "check the use of contexts, frames and heap objects",
		ArgsUsage: "[packages]",
		Description: "Checks the packages (default: the one in the current directory), tests included, for contexts that are\n" +
			"used after they may have changed, heap pointers that no frame holds, and objects that are used past their heap.\n" +
			"Exits with 1 if there is anything. The same check within go vet: go vet -vettool=$(which encorert) [packages].",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "fix", Usage: "apply the fixes of findings that have one, and print the others"},
			&cli.BoolFlag{Name: "json", Usage: "print one JSON object, with the list of findings, on stdout"},
			&cli.StringFlag{Name: "tags", Usage: "build `tags`, separated by commas"},
		},
		Action: vet,
	}
}

func vet(stdctx context.Context, c *cli.Command) error {
	dir, err := workingDirectory()
	if err != nil {
		return err
	}
	found, err := ctxcheck.Vet(stdctx, ctxcheck.Config{Patterns: c.Args().Slice(), Tags: c.String("tags")})
	var broken *ctxcheck.LoadError
	if errors.As(err, &broken) {
		fmt.Fprintln(c.Root().ErrWriter, broken)
		return errFindings
	}
	if err == nil && c.Bool("fix") {
		found, err = ctxcheck.Fix(found)
	}
	if err != nil {
		return errors.New("encorert: " + strings.TrimPrefix(err.Error(), "ctxcheck: "))
	}
	for i := range found {
		found[i].Pos.Filename = ctxgen.RelativePath(found[i].Pos.Filename, dir)
	}
	if c.Bool("json") {
		report := struct {
			Findings []ctxcheck.Finding `json:"findings"`
		}{append([]ctxcheck.Finding{}, found...)}
		encoder := json.NewEncoder(c.Root().Writer)
		encoder.SetIndent("", "  ")
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(report); err != nil {
			return err
		}
	} else {
		for _, f := range found {
			fmt.Fprintln(c.Root().Writer, f)
		}
	}
	if len(found) > 0 {
		return errFindings
	}
	return nil
}

// asVetTool runs the program as the go command's vet tool, if that is what its arguments say: "-V=full" and "-flags" ask
// what it is, a file of a package to check comes last otherwise. It does not return then.
func asVetTool(args []string) {
	if len(args) < 2 {
		return
	}
	if last := args[len(args)-1]; args[1] == "-V=full" || args[1] == "-flags" || strings.HasSuffix(last, ".cfg") && args[1] != "vet" {
		unitchecker.Main(ctxcheck.Analyzer)
	}
}
