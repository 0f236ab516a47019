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
// everything as it was. Of a path that is a symbolic link what it stands for is
// replaced. It returns the paths that it changed.
func Commit(files []File) (changed []string, err error) {
	stale, err := Check(files)
	if err != nil || len(stale) == 0 {
		return nil, err
	}
	temps := map[string]string{} // path of a File -> file with the new content
	targets := map[string]string{}
	defer func() {
		for _, temp := range temps {
			err = errors.Join(err, os.Remove(temp))
		}
	}()
	for _, f := range stale {
		if f.Content == nil {
			continue
		}
		target, err := linkTarget(f.Path)
		if err == nil {
			targets[f.Path] = target
			if temps[f.Path], err = writeTemp(target, f.Content); temps[f.Path] == "" {
				delete(temps, f.Path)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("ctxgen: write %s: %w", f.Path, withoutPath(err))
		}
	}
	for _, f := range stale {
		if f.Content == nil {
			err = os.Remove(f.Path)
		} else if err = os.Rename(temps[f.Path], targets[f.Path]); err == nil {
			delete(temps, f.Path)
		}
		if err != nil {
			return changed, fmt.Errorf("ctxgen: replace %s: %w", f.Path, withoutPath(err))
		}
		changed = append(changed, f.Path)
	}
	return changed, nil
}

// linkTarget follows symbolic links from path to what they stand for, which need not exist.
func linkTarget(path string) (string, error) {
	const most = 40 // as many as Linux follows
	for range most {
		link, err := os.Readlink(path)
		if err != nil {
			return path, nil // a file, or none
		}
		if !filepath.IsAbs(link) {
			dir, err := filepath.EvalSymlinks(filepath.Dir(path)) // in which .. is meant
			if err != nil {
				return "", err
			}
			link = filepath.Join(dir, link)
		}
		path = link
	}
	return "", errors.New("too many symbolic links")
}

// withoutPath returns what is wrong with a file without its name, which the caller has in front; the name in err may
// be that of a temporary file.
func withoutPath(err error) error {
	if e, ok := errors.AsType[*os.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.Err
	}
	return err
}

// writeTemp writes content into a file beside target, which is returned as far as it exists.
func writeTemp(target string, content []byte) (string, error) {
	mode := os.FileMode(0o644)
	if info, err := os.Stat(target); err == nil {
		mode = info.Mode().Perm()
	}
	temp, err := os.CreateTemp(filepath.Dir(target), ".encorert-*.tmp")
	if err != nil {
		return "", err
	}
	_, err = temp.Write(content)
	return temp.Name(), errors.Join(err, temp.Chmod(mode), temp.Close())
}

// Check returns those files that are not on disk as they should be.
func Check(files []File) (stale []File, err error) {
	for _, f := range files {
		old, err := f.current()
		if err != nil {
			return nil, fmt.Errorf("ctxgen: read %s: %w", f.Path, withoutPath(err))
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
			return nil, fmt.Errorf("ctxgen: read %s: %w", f.Path, withoutPath(err))
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
