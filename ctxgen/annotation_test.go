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
		"//encore:actor x":         {"", `takes no arguments but mailbox=N: remove "x"`},
		"//encore:actor\tx":        {"", `takes no arguments but mailbox=N: remove "x"`},
		"//encore:new\tx":          {"", `takes no arguments but iso=, val= and copy=`},

		"//encore:new iso=t":                          {newAnnotation, ""},
		"//encore:behaviour iso=a,b\tval=c copy=d \r": {behaviourAnnotation, ""},
		"//encore:behaviour val=return":               {behaviourAnnotation, ""},
		"//encore:behaviour ref=a":                    {"", `as in iso=tree val=config,log: remove "ref=a"`},
		"//encore:behaviour val= a":                   {"", `remove "val="`},
		"//encore:behaviour iso=a val=b,a":            {"", "gives a a mode twice"},
		"//encore:behaviour mailbox=1":                {"", `remove "mailbox=1"`},

		"//encore:actor mailbox=1000":       {actorAnnotation, ""},
		"//encore:actor \tmailbox=1 \r":     {actorAnnotation, ""},
		"//encore:actor mailbox=unbounded":  {actorAnnotation, ""},
		"//encore:actor mailbox=0":          {"", `with N from 1 to 1073741824, and mailbox=unbounded: "mailbox=0" is neither`},
		"//encore:actor mailbox=":           {"", `"mailbox=" is neither`},
		"//encore:actor mailbox=9999999999": {"", "is neither"},
		"//encore:actor mailbox=1 x":        {"", `remove "mailbox=1 x"`},
		"//encore:object mailbox=1":         {"", `takes no arguments: remove "mailbox=1"`},
		"//encore:Actor":                    {"", "did you mean //encore:actor?"},
		"//encore:actors":                   {"", "did you mean //encore:actor?"},
		"//encore:behavior":                 {"", "did you mean //encore:behaviour?"},
		"//encore:be":                       {"", "did you mean //encore:behaviour?"},
		"//encore:class":                    {"", "did you mean //encore:object?"},
		"//encore:nw":                       {"", "did you mean //encore:new?"},
		"//encore:future":                   {"", "write one of //encore:actor, //encore:new, //encore:behaviour, //encore:object"},
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

func TestMailboxLimit(t *testing.T) {
	for comment, want := range map[string]int{
		"//encore:actor": 0, "//encore:actor mailbox=7": 7, "//encore:actor\tmailbox=07\r": 7, "//encore:actor mailbox=unbounded": -1,
		"//encore:actor mailbox=-1": 0, "//encore:actor mailbox=1073741825": 0,
	} {
		assert.Equal(t, want, mailboxLimit(comment), comment)
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
	for _, seed := range []string{"//encore:actor", "// encore:new", "//encore:behavior x", "//encore:\xff", "//encore:actor mailbox=1", "/*encore:object*/", "//", ""} {
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
			rest, exact := strings.CutPrefix(strings.TrimRight(comment, " \t\r\n"), annotationPrefix+string(a))
			assert.True(t, exact)
			assert.True(t, rest == "" || a == actorAnnotation && mailboxLimit(rest) != 0, rest)
		}
	})
}
