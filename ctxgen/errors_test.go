package ctxgen

import (
	"context"
	"go/token"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func cancelled(t *testing.T) context.Context {
	stdctx, cancel := context.WithCancel(t.Context())
	cancel()
	return stdctx
}

func TestErrorsAreSortedUniqueAndBounded(t *testing.T) {
	var errs Errors
	for line := 30; line > 0; line-- {
		errs.add(token.Position{Filename: "a.go", Line: line, Column: 1}, "wrong")
		errs.add(token.Position{Filename: "a.go", Line: line, Column: 1}, "wrong")
	}
	errs.add(token.Position{}, "everywhere")
	text := errs.asError().Error()
	lines := strings.Split(text, "\n")
	assert.Len(t, lines, maxErrors+1)
	assert.Equal(t, "everywhere", lines[0])
	assert.Equal(t, "a.go:1:1: wrong", lines[1])
	assert.Equal(t, "and 11 more", lines[maxErrors])
	assert.NoError(t, Errors{}.asError())
	var one *Error
	assert.ErrorAs(t, errs, &one)
}

func TestPositionOfListedErrors(t *testing.T) {
	for text, want := range map[string]token.Position{
		"":                {},
		"-":               {},
		"/x/a.go:3:4":     {Filename: "/x/a.go", Line: 3, Column: 4},
		"b/a.go:3":        {Filename: "/dir/b/a.go", Line: 3},
		"/x/a.go":         {Filename: "/x/a.go"},
		"/x/a:b.go:10:11": {Filename: "/x/a:b.go", Line: 10, Column: 11},
	} {
		assert.Equal(t, want, position(text, "/dir"), text)
	}
}
