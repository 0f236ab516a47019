package ctxgen

// What the go command says of packages that it cannot list, in words for who typed their names.

import (
	"context"
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
)

var (
	driverWrapping = regexp.MustCompile(`(?s)^(?:err: |couldn't run 'go': )(.*?)(?:: stderr: (.*))?$`)
	searchedRoot   = regexp.MustCompile(` \(\S*/src/\S*\)$`)
)

// driverError is what go/packages returned, for who called Generate.
func (l *loader) driverError(err error) error {
	if cause := context.Cause(l.stdctx); cause != nil { // then err says only that the go command was killed
		return fmt.Errorf("ctxgen: %w", cause)
	}
	return fmt.Errorf("ctxgen: %s", driverMessage(err))
}

// driverMessage returns what the go command said as one line, without what go/packages puts around it.
func driverMessage(err error) string {
	text := err.Error()
	if m := driverWrapping.FindStringSubmatch(text); m != nil {
		if text = strings.TrimSpace(m[2]); text == "" { // it has not started
			text = m[1]
		}
	}
	return strings.Join(strings.Fields(strings.TrimPrefix(text, "go: ")), " ")
}

// notListed reports a package asked for that the go command cannot find, or in which it finds no files.
func (l *loader) notListed(p *packages.Package) {
	dir := packageDir(p)
	if strings.HasPrefix(p.PkgPath, "command-line-arguments") {
		l.listErrors(p, func(*packages.Error) bool { return true })
		if dir != "" {
			l.errs.add(token.Position{}, "file arguments are not supported: name the package, such as %s", localPattern(dir, l.cfg.Dir))
		}
		return
	}
	if dir != "" {
		l.listErrors(p, func(e *packages.Error) bool {
			return len(p.GoFiles) == 0 && strings.HasPrefix(e.Msg, "no Go files in ")
		})
		return
	}
	for i := range p.Errors {
		e := &p.Errors[i]
		e.Msg = searchedRoot.ReplaceAllString(e.Msg, "")
		if hint := l.localHint(p.PkgPath); hint != "" {
			e.Msg += hint
		} else if before, _, ok := strings.Cut(e.Msg, ": directory prefix "); ok && !inModule(l.cfg.Dir) {
			e.Msg = before + ": no go.mod file in this directory or above it"
		}
	}
	l.listErrors(p, func(*packages.Error) bool { return true })
}

// localHint suggests the directories that patterns without a dot in front of them may mean.
func (l *loader) localHint(patterns ...string) string {
	var meant []string
	for _, pattern := range patterns {
		if strings.HasPrefix(pattern, ".") || filepath.IsAbs(pattern) {
			continue
		}
		info, err := os.Stat(filepath.Join(l.cfg.Dir, filepath.FromSlash(strings.TrimSuffix(pattern, "/..."))))
		if err == nil && info.IsDir() {
			meant = append(meant, "./"+pattern)
		}
	}
	if meant == nil {
		return ""
	}
	return fmt.Sprintf(": did you mean %s?", strings.Join(meant, " "))
}

// localPattern writes a directory as a pattern for a command that runs in base.
func localPattern(dir, base string) string {
	pattern := RelativePath(dir, base)
	if pattern == "." || filepath.IsAbs(pattern) {
		return pattern
	}
	return "./" + filepath.ToSlash(pattern)
}

// inModule reports whether a go.mod file governs dir.
func inModule(dir string) bool {
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return true
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return false
		}
		dir = parent
	}
}

// listErrors takes over those errors of the go command that keep accepts.
func (l *loader) listErrors(p *packages.Package, keep func(*packages.Error) bool) {
	for i := range p.Errors {
		if e := &p.Errors[i]; !strings.HasPrefix(e.Msg, packagesVersionNote) && keep(e) { // see withGoVersions
			l.errs = append(l.errs, &Error{Pos: position(e.Pos, l.cfg.Dir), Msg: strings.ReplaceAll(strings.TrimSpace(e.Msg), "\n\t", " ")})
		}
	}
}

// position reads the "file:line:col" of a packages.Error; files may be relative to dir.
func position(text, dir string) token.Position {
	if text == "" || text == "-" {
		return token.Position{}
	}
	var numbers []int
	for len(numbers) < 2 {
		i := strings.LastIndexByte(text, ':')
		if i < 0 {
			break
		}
		n, err := strconv.Atoi(text[i+1:])
		if err != nil {
			break
		}
		text, numbers = text[:i], append(numbers, n)
	}
	p := token.Position{Filename: text}
	if !filepath.IsAbs(text) {
		p.Filename = filepath.Join(dir, text)
	}
	switch len(numbers) {
	case 1:
		p.Line = numbers[0]
	case 2:
		p.Line, p.Column = numbers[1], numbers[0]
	}
	return p
}
