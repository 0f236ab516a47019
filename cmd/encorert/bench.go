package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/urfave/cli/v3"
)

const (
	modulePath   = "github.com/encorert/encorert"
	benchPackage = modulePath + "/bench"
)

const benchText = `The benchmarks are a program of their own, which this command builds with the Go toolchain and runs; all
that follows "bench" is passed on to it (but compare, which needs no program).

  encorert bench list              name the workloads, one line each
  encorert bench <workload>        run one and print a table
  encorert bench <workload> --json print one JSON object on stdout and nothing else there
  encorert bench <workload> --help describe the workload, its variants, its JSON fields and all its flags,
                                   as in: encorert bench gcbench --help
  encorert bench promises          measure what the project promises of itself, and say what holds (five minutes)
  encorert bench compare A.json B.json
                                   compare what two runs with --json printed

Every variant of a workload (encorert, and what it is compared with) has a process of its own that lives for
the whole run and does one repetition of the job on command. After warm-up repetitions of each (--warmup), the
counted ones (--runs) are interleaved: A B C, A B C, ... The columns of the table are, over the counted ones:

  median ms, min ms   time of the job, without set-up and checks; where the job has a size that the user sets, ns
                      (or us) for each piece of it instead
  spread              distance between the quartiles in per cent of the median: half of the repetitions lie
                      in it, so it is small on a quiet machine
  peak MB             peak resident memory of the variant's process, in MiB; "-" where it is unknown
  times               the median over that of the first variant; below 1 is faster than it
  difference, 95 %    how much more than the first variant's the repetitions took, paired by round: mean,
                      and its 95 % interval by Student's t; an interval that holds 0 shows no difference

Inside a checkout of encorert the program of the checkout is built. In a module that requires encorert it is
built at the version required there; anywhere else at this command's own version.

Exit status: 0 done; 1 a variant failed or counted wrongly, a promise is missed, the program could not be built, or the run was
interrupted; 2 wrong usage.`

// newBench builds and runs the benchmark program. It does not import it: this command has to build when
// generated code does not.
func newBench() *cli.Command {
	return &cli.Command{
		Name:            "bench",
		Usage:           "run the benchmarks, compare results, measure what is promised",
		UsageText:       "encorert bench list\nencorert bench <workload> [flags]\nencorert bench <workload> --help\nencorert bench promises [flags]\nencorert bench compare A.json [B.json]",
		Description:     benchText,
		Commands:        []*cli.Command{newCompare()},
		SkipFlagParsing: true, // the flags are the program's
		HideHelp:        true, // --help after a workload is the program's as well
		Action: func(stdctx context.Context, cmd *cli.Command) error {
			args := cmd.Args().Slice()
			if len(args) > 0 && (args[0] == "--help" || args[0] == "-h") {
				return cli.ShowSubcommandHelp(cmd)
			}
			root := cmd.Root()
			return benchRun{in: root.Reader, out: root.Writer, err: root.ErrWriter}.run(stdctx, args)
		},
	}
}

// programStatus is the exit status, not 0, of a program that a command ran and that has said itself what was
// wrong. (cli.ExitCoder would not do: exec's own errors are of that kind, so those of a failed build too.)
type programStatus int

func (s programStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// benchRun is one invocation of the benchmark program.
type benchRun struct {
	in       io.Reader
	out, err io.Writer
}

// run builds and runs the program until a signal ends both.
func (b benchRun) run(stdctx context.Context, args []string) error {
	stdctx, stop := untilSignal(stdctx)
	defer stop()
	err := b.buildAndRun(stdctx, args)
	var told programStatus
	if errors.As(err, &told) {
		return err
	}
	if why, ended := endedEarly(stdctx, err); ended {
		fmt.Fprintln(b.err, "encorert bench:", why)
		return programStatus(statusFindings)
	}
	return err
}

// buildAndRun builds the program into a temporary folder, which is cheap when nothing changed because Go's
// build cache keeps what was compiled, and runs it.
func (b benchRun) buildAndRun(stdctx context.Context, args []string) error {
	goCommand, err := exec.LookPath("go")
	if err != nil {
		return fmt.Errorf("bench builds its program with the Go toolchain and found no `go` command in PATH (https://go.dev/dl): %w", err)
	}
	dir, err := os.MkdirTemp("", "encorert-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	source, err := findBench(stdctx, goCommand, dir)
	if err != nil {
		return err
	}
	program := filepath.Join(dir, "bench")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	if err := source.build(stdctx, program); err != nil {
		return err
	}
	return b.runProgram(stdctx, program, args)
}

func (b benchRun) runProgram(stdctx context.Context, program string, args []string) error {
	cmd := commandUntil(stdctx, program, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = b.in, b.out, b.err
	err := cmd.Run()
	var ended *exec.ExitError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &ended) && ended.Exited():
		return programStatus(ended.ExitCode())
	default:
		return fmt.Errorf("the benchmark program: %w", err)
	}
}

// benchSource says where and how the program is built.
type benchSource struct {
	goCommand string
	dir       string   // working directory of go build
	flags     []string // before the package
	env       []string // added to the environment
}

// build compiles the program; what the compiler said is in the error.
func (s benchSource) build(stdctx context.Context, program string) error {
	args := append([]string{"build"}, s.flags...)
	_, err := goOutput(stdctx, s, append(args, "-o", program, benchPackage)...)
	if err != nil {
		return fmt.Errorf("building %s: %w", benchPackage, err)
	}
	return nil
}

// findBench looks for the sources of the benchmark program: the module of the working directory if it is
// encorert or requires it, then the sources that this command was compiled from, then this command's version
// from Go's module proxy. temp is a folder for the go.mod file of a module that must not be changed.
func findBench(stdctx context.Context, goCommand, temp string) (benchSource, error) {
	here := benchSource{goCommand: goCommand}
	switch found, isMain := requiredModule(stdctx, here); {
	case isMain:
		return here, nil
	case found:
		return requiringModule(stdctx, here, temp)
	}
	if dir, ok := compiledFrom(); ok {
		return benchSource{goCommand: goCommand, dir: dir, env: []string{"GOWORK=off"}}, nil
	}
	version, ok := ownVersion()
	if !ok {
		return benchSource{}, errors.New("this encorert was built from a working copy that is no longer there: " +
			"run bench inside a checkout, in a module that requires " + modulePath + ", or with an encorert installed by `go install " + modulePath + "/cmd/encorert@latest`")
	}
	text := fmt.Sprintf("module bench\n\nrequire %s %s\n", modulePath, version)
	if err := os.WriteFile(filepath.Join(temp, "go.mod"), []byte(text), 0o600); err != nil {
		return benchSource{}, err
	}
	return benchSource{goCommand: goCommand, dir: temp, flags: []string{"-mod=mod"}, env: []string{"GOWORK=off"}}, nil
}

// requiredModule reports whether encorert is among the modules of the working directory, and whether it is
// one that is worked on there: the main module, or one of a workspace.
func requiredModule(stdctx context.Context, here benchSource) (found, isMain bool) {
	out, err := goOutput(stdctx, here, "list", "-mod=readonly", "-m", "-f={{.Main}}", modulePath)
	if err != nil {
		return false, false // no module here, or one without encorert
	}
	return true, strings.TrimSpace(string(out)) == "true"
}

// requiringModule builds in a module that requires encorert, at the version and with the replacements that it
// says, but with copies of go.mod and go.sum: what the benchmarks need besides is not to be written there.
func requiringModule(stdctx context.Context, here benchSource, temp string) (benchSource, error) {
	out, err := goOutput(stdctx, here, "env", "GOMOD")
	if err != nil {
		return benchSource{}, err
	}
	mod := strings.TrimSpace(string(out))
	text, err := os.ReadFile(mod)
	if err != nil {
		return benchSource{}, err
	}
	copied := filepath.Join(temp, "go.mod")
	if err := os.WriteFile(copied, text, 0o600); err != nil {
		return benchSource{}, err
	}
	sums, err := os.ReadFile(strings.TrimSuffix(mod, ".mod") + ".sum")
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return benchSource{}, err
	}
	if err := os.WriteFile(filepath.Join(temp, "go.sum"), sums, 0o600); err != nil {
		return benchSource{}, err
	}
	here.flags = []string{"-mod=mod", "-modfile=" + copied}
	here.env = []string{"GOWORK=off"}
	return here, nil
}

// compiledFrom is the folder of the module that this command was compiled from, if it is still there: a
// checkout, or Go's module cache. Binaries built with -trimpath do not know it.
func compiledFrom() (string, bool) {
	_, file, _, ok := runtime.Caller(0)
	if !ok || !filepath.IsAbs(file) {
		return "", false
	}
	dir := filepath.Dir(filepath.Dir(filepath.Dir(filepath.FromSlash(file)))) // of <module>/cmd/encorert/bench.go
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil || !bytes.HasPrefix(text, []byte("module "+modulePath+"\n")) {
		return "", false
	}
	return dir, true
}

// ownVersion is the version that this command was built at, if the module proxy can know it.
func ownVersion() (string, bool) {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Path != modulePath {
		return "", false
	}
	v := info.Main.Version
	if !strings.HasPrefix(v, "v") || strings.Contains(v, "+dirty") {
		return "", false
	}
	return v, true
}

// goOutput runs the go command and returns its standard output; its standard error becomes part of the error.
func goOutput(stdctx context.Context, s benchSource, args ...string) ([]byte, error) {
	cmd := commandUntil(stdctx, s.goCommand, args...)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), s.env...)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("go %s: %w\n%s", args[0], err, bytes.TrimSpace(said.Bytes()))
	}
	return out.Bytes(), nil
}
