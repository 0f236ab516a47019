package ctxgen

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/diff"
)

// Commit makes the files on disk what Generate says they should be. Files that
// are so already are not touched. All new contents are written beside their
// targets before the first target is replaced: an error until then leaves
// everything as it was. It returns the paths that it changed.
func Commit(files []File) (changed []string, err error) {
	stale, err := Check(files)
	if err != nil || len(stale) == 0 {
		return nil, err
	}
	temps := map[string]string{} // target -> file with the new content
	defer func() {
		for _, temp := range temps {
			err = errors.Join(err, os.Remove(temp))
		}
	}()
	for _, f := range stale {
		if f.Content == nil {
			continue
		}
		temp, err := writeTemp(f)
		if temp != "" {
			temps[f.Path] = temp
		}
		if err != nil {
			return nil, fmt.Errorf("ctxgen: write %s: %w", f.Path, err)
		}
	}
	for _, f := range stale {
		if f.Content == nil {
			err = os.Remove(f.Path)
		} else if err = os.Rename(temps[f.Path], f.Path); err == nil {
			delete(temps, f.Path)
		}
		if err != nil {
			return changed, fmt.Errorf("ctxgen: replace %s: %w", f.Path, err)
		}
		changed = append(changed, f.Path)
	}
	return changed, nil
}

// writeTemp writes f's content into a file beside it, which is returned as far as it exists.
func writeTemp(f File) (string, error) {
	mode := os.FileMode(0o644)
	if info, err := os.Stat(f.Path); err == nil {
		mode = info.Mode().Perm()
	}
	temp, err := os.CreateTemp(filepath.Dir(f.Path), ".encorert-*.tmp")
	if err != nil {
		return "", err
	}
	_, err = temp.Write(f.Content)
	return temp.Name(), errors.Join(err, temp.Chmod(mode), temp.Close())
}

// Check returns those files that are not on disk as they should be.
func Check(files []File) (stale []File, err error) {
	for _, f := range files {
		old, err := f.current()
		if err != nil {
			return nil, fmt.Errorf("ctxgen: %w", err)
		}
		if !bytes.Equal(old, f.Content) || (old == nil) != (f.Content == nil) {
			stale = append(stale, f)
		}
	}
	return stale, nil
}

// Diff returns what Commit would change as a unified diff, with paths relative
// to dir where they are below it. nil: nothing.
func Diff(files []File, dir string) ([]byte, error) {
	stale, err := Check(files)
	if err != nil {
		return nil, err
	}
	var out []byte
	for _, f := range stale {
		old, err := f.current()
		if err != nil {
			return nil, fmt.Errorf("ctxgen: %w", err)
		}
		name := filepath.ToSlash(RelativePath(f.Path, dir))
		out = append(out, diff.Diff("a/"+name, old, "b/"+name, f.Content)...)
	}
	return out, nil
}

// RelativePath returns path relative to dir if it is below it, and path otherwise.
func RelativePath(path, dir string) string {
	if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}
