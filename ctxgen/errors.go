package ctxgen

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"
	"strings"
)

// An Error is a fault in the input, with the place where it must be mended.
type Error struct {
	Pos token.Position // may be zero
	Msg string
}

// Error returns "file:line:col: message".
func (e *Error) Error() string {
	if e.Pos.Filename == "" && !e.Pos.IsValid() {
		return e.Msg
	}
	return e.Pos.String() + ": " + e.Msg
}

// Errors is a list of faults; Generate and Emit return it. Those of annotated
// declarations come before those of other code, and both are in order of position.
type Errors []*Error

// maxErrors bounds what is printed; picked, not measured.
const maxErrors = 20

// Error returns one line per fault, at most 20 of them.
func (e Errors) Error() string {
	var lines []string
	for i, err := range e {
		if i == maxErrors {
			lines = append(lines, fmt.Sprintf("and %d more", len(e)-maxErrors))
			break
		}
		lines = append(lines, err.Error())
	}
	return strings.Join(lines, "\n")
}

// Unwrap lets errors.As find the single faults.
func (e Errors) Unwrap() []error {
	errs := make([]error, len(e))
	for i, err := range e {
		errs[i] = err
	}
	return errs
}

func (e *Errors) add(pos token.Position, format string, args ...any) {
	*e = append(*e, &Error{Pos: pos, Msg: fmt.Sprintf(format, args...)})
}

// asError sorts the list, drops what is in it twice, and returns nil if nothing is left.
func (e Errors) asError() error {
	if len(e) == 0 {
		return nil
	}
	slices.SortStableFunc(e, func(a, b *Error) int {
		return cmp.Or(
			cmp.Compare(a.Pos.Filename, b.Pos.Filename),
			cmp.Compare(a.Pos.Line, b.Pos.Line),
			cmp.Compare(a.Pos.Column, b.Pos.Column),
		)
	})
	return slices.CompactFunc(e, func(a, b *Error) bool { return *a == *b })
}

// inOrder joins lists, each of which it sorts, and returns nil if they are empty.
func inOrder(lists ...Errors) error {
	var all Errors
	for _, list := range lists {
		if sorted, ok := list.asError().(Errors); ok {
			all = append(all, sorted...)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

// relativeTo makes the file names relative to dir where they are below it, as the go command does.
func (e Errors) relativeTo(dir string) {
	for _, err := range e {
		if err.Pos.Filename != "" {
			err.Pos.Filename = RelativePath(err.Pos.Filename, dir)
		}
	}
}
