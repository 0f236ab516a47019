package ctxgen

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestParseAnnotation(t *testing.T) {
	for comment, want := range map[string]struct {
		annotation annotation
		err        string
	}{
		"//encore:actor":           {actorAnnotation, ""},
		"//encore:new":             {newAnnotation, ""},
		"//encore:behaviour":       {behaviourAnnotation, ""},
		"//encore:object":          {objectAnnotation, ""},
		"//encore:object \t\r":     {objectAnnotation, ""}, // blanks at the end, CRLF
		"// prose":                 {"", ""},
		"// encore: is a language": {"", ""},
		"//go:generate x":          {"", ""},
		"//\tencore:actor":         {"", ""}, // code in documentation
		"/*encore:actor*/":         {"", `"/*encore:actor*/" is not an annotation because it is no line comment: write //encore:actor`},
		"/* encore:object */":      {"", "write //encore:object"},
		"/* encore: actors */":     {"", ""},
		"/*\nencore:actor\n*/":     {"", ""},
		"/*/encore:new":            {"", ""},
		"// encore:actor":          {"", `"// encore:actor" is not an annotation because of the blank: write //encore:actor`},
		"// encore:behavior":       {"", "write //encore:behaviour"},
		"//encore : new":           {"", "write //encore:new"},
		"//encore:":                {"", "names no annotation"},
		"//encore: actor":          {"", `"//encore: actor" names no annotation because of the blank: write //encore:actor`},
		"//encore: x":              {"", "names no annotation: write one of"},
		"//encore:actor x":         {"", `takes no arguments: remove "x"`},
		"//encore:actor\tx":        {"", `takes no arguments: remove "x"`},
		"//encore:Actor":           {"", "did you mean //encore:actor?"},
		"//encore:actors":          {"", "did you mean //encore:actor?"},
		"//encore:behavior":        {"", "did you mean //encore:behaviour?"},
		"//encore:be":              {"", "did you mean //encore:behaviour?"},
		"//encore:class":           {"", "did you mean //encore:object?"},
		"//encore:nw":              {"", "did you mean //encore:new?"},
		"//encore:future":          {"", "write one of //encore:actor, //encore:new, //encore:behaviour, //encore:object"},
	} {
		got, err := parseAnnotation(comment)
		assert.Equal(t, want.annotation, got, comment)
		if want.err == "" {
			assert.NoError(t, err, comment)
		} else {
			assert.ErrorContains(t, err, want.err, comment)
		}
	}
}

// Above a declaration, what is nearly an annotation is one that was misspelt; prose is none.
func TestNearAnnotation(t *testing.T) {
	for comment, want := range map[string]annotation{
		"//encorert:actor":       actorAnnotation,
		"//encore actor":         actorAnnotation,
		"//encore\tactor \r":     actorAnnotation,
		"//Encore:actor":         actorAnnotation,
		"//ENCORE:Behavior":      behaviourAnnotation,
		"//encor:class":          objectAnnotation,
		"//ecnore:new":           newAnnotation,
		"//go:encore:actor":      actorAnnotation,
		"//go:encore object":     objectAnnotation,
		"//go:encorert-object":   objectAnnotation,
		"//+encore:actor":        actorAnnotation,
		"// Encore:actor":        actorAnnotation,
		"// encorert: behavior":  behaviourAnnotation,
		"// go:encore:new":       newAnnotation,
		"//go:generate new":      "",
		"//go:embed object":      "",
		"//go:noinline":          "",
		"//nolint:new":           "",
		"//encode method":        "",
		"//encore":               "",
		"//encore is a language": "",
		"//encore:actor quickly": "", // parseAnnotation's
		"// encore actor":        "",
		"// encore: the object":  "",
		"// encore: node":        "",
		"// an encore:actor":     "",
		"// decoder: object":     "",
		"//\tencorert:actor":     "", // code in documentation
		"// object":              "",
		"/*Encore:actor*/":       actorAnnotation,
		"/* encorert:actor */":   actorAnnotation,
		"/*encorert: new*/":      newAnnotation,
		"/* encore method */":    "",
		"/*encorert:actor":       "",
		"//\xffencore:actor":     "",
	} {
		err := nearAnnotation(comment)
		may := mayHaveAnnotation([]byte("package p\n\n\t" + comment + "\n"))
		assert.Equal(t, want != "" || strings.Contains(comment, "encore:"), may, comment)
		if want == "" {
			assert.NoError(t, err, comment)
			continue
		}
		assert.ErrorContains(t, err, "did you mean //encore:"+string(want)+"?", comment)
	}
}

// Whatever a comment says: no panic; an annotation only for the exact words;
// an error says what to write, and that is accepted.
func FuzzParseAnnotation(f *testing.F) {
	for _, seed := range []string{"//encore:actor", "// encore:new", "//encore:behavior x", "//encore:\xff", "/*encore:object*/", "//", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, comment string) {
		a, err := parseAnnotation(comment)
		if err != nil {
			assert.Empty(t, a)
			text := err.Error()
			i := strings.LastIndex(text, annotationPrefix)
			if !assert.GreaterOrEqual(t, i, 0, text) || strings.Contains(text, "takes no arguments") {
				return
			}
			_, err := parseAnnotation(strings.TrimSuffix(text[i:], "?"))
			assert.NoError(t, err, text)
			return
		}
		if a != "" {
			assert.Equal(t, annotationPrefix+string(a), strings.TrimRight(comment, " \t\r\n"))
		}
	})
}
