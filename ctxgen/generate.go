package ctxgen

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// Config says what to generate. The zero value means the package in the current directory.
type Config struct {
	Dir      string   // where patterns are resolved; empty: the current directory
	Env      []string // of the go command; nil: this process's
	Patterns []string // packages as for the go command; none: "."
	Tags     string   // build tags, separated by commas
	// Matched, if not nil, is told how many packages match the patterns.
	Matched func(packages int)
	// Excluded, if not nil, is told of packages that have annotations only in files that build constraints exclude:
	// these files, and the output, which then stays as it is. Paths are absolute; output is empty if there is none.
	Excluded func(sources []string, output string)
}

// A File is one generated file as it should be.
type File struct {
	Path    string // absolute
	Content []byte // nil: the file should not exist
}

// Generate returns the generated files of the packages that match cfg.Patterns
// and writes none. Files that are right already are among them. Faults in the
// input come back as Errors, all that were found, with file names relative to
// cfg.Dir.
func Generate(stdctx context.Context, cfg Config) ([]File, error) {
	dir, err := filepath.Abs(cfg.Dir)
	if err != nil {
		return nil, fmt.Errorf("ctxgen: %w", err)
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real // the go command reports files below the real directory
	}
	cfg.Dir = dir
	if len(cfg.Patterns) == 0 {
		cfg.Patterns = []string{"."}
	}
	files, err := generate(stdctx, cfg)
	if errs, ok := err.(Errors); ok {
		errs.relativeTo(dir)
	}
	if err != nil {
		return nil, withGoVersions(stdctx, cfg, err)
	}
	return files, nil
}

func generate(stdctx context.Context, cfg Config) ([]File, error) {
	units, err := load(stdctx, cfg)
	if err != nil {
		return nil, err
	}
	var files []File
	for _, u := range units {
		if u.annotated() {
			content, err := Emit(u.pkg)
			if err != nil {
				return nil, err
			}
			files = append(files, File{Path: u.output, Content: content})
		}
		if u.excluded {
			continue
		}
		for _, name := range u.stale {
			if name != u.output || !u.annotated() {
				files = append(files, File{Path: name})
			}
		}
	}
	return files, nil
}

// current returns what is on disk; nil if there is no file.
func (f File) current() ([]byte, error) {
	text, err := os.ReadFile(f.Path)
	if os.IsNotExist(err) {
		return nil, nil
	}
	return text, err
}
