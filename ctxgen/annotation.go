package ctxgen

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// annotation is the word after //encore: in a comment above a declaration.
type annotation string

const (
	actorAnnotation     annotation = "actor"
	newAnnotation       annotation = "new"
	behaviourAnnotation annotation = "behaviour"
	objectAnnotation    annotation = "object"
)

var annotations = []annotation{actorAnnotation, newAnnotation, behaviourAnnotation, objectAnnotation}

const annotationPrefix = "//encore:"

// misspelt are words that people write for an annotation and that no edit distance finds.
var misspelt = map[string]annotation{
	"constructor": newAnnotation, "init": newAnnotation, "create": newAnnotation,
	"method": behaviourAnnotation, "message": behaviourAnnotation, "be": behaviourAnnotation, "receive": behaviourAnnotation,
	"class": objectAnnotation, "struct": objectAnnotation, "heap": objectAnnotation, "node": objectAnnotation,
}

// blankAnnotation matches a comment that would be an annotation if there was
// no blank in it. Prose that mentions an annotation has more on the line, code
// in documentation has a tab before it.
var blankAnnotation = regexp.MustCompile(`^// *encore *: *(actor|new|behaviour|behavior|object)$`)

// parseAnnotation reads one comment (with its slashes). It returns "" for
// a comment that is none, and an error that says what to write for one that was
// meant to be one.
func parseAnnotation(comment string) (annotation, error) {
	comment = strings.TrimRight(comment, " \t\r\n")
	if line, ok := lineComment(comment); ok {
		a, _ := parseAnnotation("//" + strings.TrimLeft(line[2:], " "))
		if a == "" {
			return "", nil
		}
		return "", fmt.Errorf("%q is not an annotation because it is no line comment: write %s%s", comment, annotationPrefix, a)
	}
	word, ok := strings.CutPrefix(comment, annotationPrefix)
	if !ok {
		if m := blankAnnotation.FindStringSubmatch(comment); m != nil {
			return "", fmt.Errorf("%q is not an annotation because of the blank: write %s%s",
				comment, annotationPrefix, strings.Replace(m[1], "behavior", "behaviour", 1))
		}
		return "", nil
	}
	if word == "" || word[0] == ' ' || word[0] == '\t' {
		if a, ok := suggestion(strings.TrimSpace(word)); ok {
			return "", fmt.Errorf("%q names no annotation because of the blank: write %s%s", comment, annotationPrefix, a)
		}
		return "", fmt.Errorf("%q names no annotation: write one of %s", comment, list(annotations))
	}
	name := word
	if i := strings.IndexAny(word, " \t"); i >= 0 {
		name = word[:i]
	}
	for _, a := range annotations {
		if name != string(a) {
			continue
		}
		if err := argumentsFault(a, strings.TrimSpace(word[len(name):])); err != nil {
			return "", err
		}
		return a, nil
	}
	if a, ok := suggestion(name); ok {
		return "", fmt.Errorf("unknown annotation %s%s: did you mean %s%s?", annotationPrefix, name, annotationPrefix, a)
	}
	return "", fmt.Errorf("unknown annotation %s%s: write one of %s", annotationPrefix, name, list(annotations))
}

// argumentsFault says what is wrong with what follows the word of an annotation.
func argumentsFault(a annotation, arguments string) error {
	switch {
	case arguments == "":
		return nil
	case a == behaviourAnnotation || a == newAnnotation:
		_, err := modesOf(a, arguments)
		return err
	case a != actorAnnotation:
		return fmt.Errorf("%s%s takes no arguments: remove %q", annotationPrefix, a, arguments)
	case !strings.HasPrefix(arguments, mailboxArgument) || strings.ContainsAny(arguments, " \t"):
		return fmt.Errorf("%s%s takes no arguments but %sN: remove %q", annotationPrefix, a, mailboxArgument, arguments)
	case mailboxLimit(arguments) == 0:
		return fmt.Errorf("%s%s takes no arguments but %sN, with N from 1 to %d, and %s%s: %q is neither",
			annotationPrefix, a, mailboxArgument, maxMailboxLimit, mailboxArgument, unbounded, arguments)
	}
	return nil
}

// An actor's annotation may bound its mailbox: //encore:actor mailbox=1000, or mailbox=unbounded whatever the runtime's limit.
const (
	mailboxArgument = "mailbox="
	unbounded       = "unbounded"
	maxMailboxLimit = 1 << 30 // rt's
)

// mailboxLimit reads the limit from an actor's annotation, or from its arguments: -1 for none, 0 where it does not say.
func mailboxLimit(comment string) int {
	_, value, _ := strings.Cut(strings.TrimRight(comment, " \t\r\n"), mailboxArgument)
	if value == unbounded {
		return -1
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 || n > maxMailboxLimit {
		return 0
	}
	return n
}

// lineComment returns a comment /*...*/ that is all on one line as the line comment that says the same.
func lineComment(comment string) (string, bool) {
	text, opened := strings.CutPrefix(comment, "/*")
	text, closed := strings.CutSuffix(text, "*/")
	if !opened || !closed || strings.Contains(text, "\n") {
		return "", false
	}
	return "//" + strings.TrimRight(text, " \t"), true
}

var (
	// directive is a comment without a blank after its slashes, as tools read them.
	directive = regexp.MustCompile(`^//(?:go:)?[+@#]?([A-Za-z]+)([ \t:=./-]+)([A-Za-z]+)$`)
	// sentence is a comment with one.
	sentence = regexp.MustCompile(`^// +(?:go:)?([A-Za-z]+) *: *([A-Za-z]+)$`)
)

// nearAnnotation returns an error that says what to write for a comment that
// parseAnnotation takes for none, but that was probably meant for one if it
// stands above a declaration. Prose has more words, or none that is nearly encore.
func nearAnnotation(comment string) error {
	comment = strings.TrimRight(comment, " \t\r\n")
	line, ok := lineComment(comment)
	if !ok {
		line = comment
	}
	found, ok := annotation(""), false
	if m := directive.FindStringSubmatch(line); m != nil {
		near := strings.HasPrefix(strings.ToLower(m[1]), "encore")
		if strings.Contains(m[2], ":") {
			near = near || editDistance(strings.ToLower(m[1]), "encore") <= 2
		}
		if near {
			found, ok = suggestion(m[3])
		}
	} else if m := sentence.FindStringSubmatch(line); m != nil && strings.HasPrefix(strings.ToLower(m[1]), "encore") {
		found = annotation(strings.Replace(strings.ToLower(m[2]), "behavior", "behaviour", 1))
		ok = slices.Contains(annotations, found)
	}
	if !ok {
		return nil
	}
	return fmt.Errorf("%q is not an annotation: did you mean %s%s?", comment, annotationPrefix, found)
}

// mayHaveAnnotation reports whether a file is worth parsing for annotations, right or misspelt.
func mayHaveAnnotation(text []byte) bool {
	if bytes.Contains(text, []byte("encore:")) {
		return true
	}
	for line := range bytes.Lines(text) {
		if line = bytes.TrimLeft(line, " \t"); bytes.HasPrefix(line, []byte("/")) && nearAnnotation(string(line)) != nil {
			return true
		}
	}
	return false
}

func list(annotations []annotation) string {
	var words []string
	for _, a := range annotations {
		words = append(words, annotationPrefix+string(a))
	}
	return strings.Join(words, ", ")
}

// suggestion returns the annotation that is meant by name: a listed synonym, or one at most two edits away.
func suggestion(name string) (annotation, bool) {
	name = strings.ToLower(name)
	if a, ok := misspelt[name]; ok {
		return a, true
	}
	best, bestDistance := annotation(""), 3
	for _, a := range annotations {
		if d := editDistance(name, string(a)); d < bestDistance && d < len(a) {
			best, bestDistance = a, d
		}
	}
	return best, best != ""
}

// editDistance is Levenshtein's, by bytes.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
