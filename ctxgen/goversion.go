package ctxgen

import (
	"context"
	"fmt"
	"go/token"
	"go/version"
	"os/exec"
	"runtime"
	"strings"
)

// packagesVersionNote begins what go/packages says of the same mismatch as outgrown, to programmers of tools.
const packagesVersionNote = "This application uses version go1."

// outgrown says what to do if the go command, which decides what Go the packages may be written in, is of a newer Go
// than this program: the parser and the type checker that are linked into it may not know what they read. "" if not.
func outgrown(built, command string) string {
	lang := func(v string) string {
		v, _, _ = strings.Cut(strings.TrimSpace(v), " ") // experiments follow
		return version.Lang(v)
	}
	old, recent := lang(built), lang(command)
	if old == "" || recent == "" || version.Compare(old, recent) >= 0 { // of versions in development nothing is known
		return ""
	}
	return fmt.Sprintf("the generator was built with %s, but the go command here is %s: build it again with %[2]s (go install %s/cmd/encorert; go tool encorert does so by itself)",
		old, recent, runtimeModule)
}

// withGoVersions adds to a fault what may be its cause: a generator that is older than the Go that it reads. The go
// command is asked only then, and if it does not answer, there is nothing to add.
func withGoVersions(stdctx context.Context, cfg Config, err error) error {
	cmd := exec.CommandContext(stdctx, "go", "env", "GOVERSION")
	cmd.Dir, cmd.Env = cfg.Dir, cfg.Env
	out, failed := cmd.Output()
	if failed != nil {
		return err
	}
	cause := outgrown(runtime.Version(), string(out))
	if cause == "" {
		return err
	}
	if errs, ok := err.(Errors); ok {
		return append(Errors{{Pos: token.Position{}, Msg: cause + "; the errors below may come from that"}}, errs...)
	}
	return fmt.Errorf("%w; %s", err, cause)
}
