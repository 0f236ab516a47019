package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/urfave/cli/v3"
)

// newVersion is the command that says what this program was built from.
func newVersion() *cli.Command {
	return &cli.Command{
		Name:   "version",
		Usage:  "print the versions of this program and of Go",
		Action: version,
	}
}

func version(_ context.Context, c *cli.Command) error {
	if c.Args().Present() {
		return usagef("version takes no arguments")
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	if err := printVersion(c.Root().Writer, info); err != nil {
		return fmt.Errorf("encorert: write versions: %w", err)
	}
	return nil
}

// printVersion prints one fact per line; what the build did not record is left out.
func printVersion(out io.Writer, info *debug.BuildInfo) error {
	version := info.Main.Version
	if version == "" {
		version = "(unknown)"
	}
	text := fmt.Sprintf("encorert %s\n", version)
	facts := map[string]string{}
	for _, s := range info.Settings {
		facts[s.Key] = s.Value
	}
	if revision := facts["vcs.revision"]; revision != "" {
		state := ""
		if facts["vcs.modified"] == "true" {
			state = " (modified)"
		}
		text += fmt.Sprintf("%s %s %s%s\n", facts["vcs"], revision, facts["vcs.time"], state)
	}
	text += fmt.Sprintf("%s %s/%s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH)
	_, err := io.WriteString(out, text)
	return err
}
