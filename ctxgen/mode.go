package ctxgen

import (
	"fmt"
	"slices"
	"strings"
)

// A Mode says how the heap objects of a parameter or a result go to another actor.
type Mode uint8

const (
	// Copy: the receiver gets a copy of the graph, and nothing is shared. Also what has no heap objects goes this way.
	Copy Mode = iota
	// Val: the graph becomes immutable, and both refer to it. Nothing is copied.
	Val
	// Iso: the sender gives the graph up. What was built by gc.Isolate is not copied.
	Iso
)

var modes = [...]string{Copy: "copy", Val: "val", Iso: "iso"}

// String returns the mode as annotations write it.
func (m Mode) String() string {
	if int(m) < len(modes) {
		return modes[m]
	}
	return fmt.Sprintf("mode %d", uint8(m))
}

// resultWord stands for the result among the parameters of an annotation. No parameter can have the name.
const resultWord = "return"

// modesOf reads the arguments of a behaviour's annotation: iso=tree val=cfg,log. The error says what to write.
func modesOf(a annotation, arguments string) (map[string]Mode, error) {
	found := map[string]Mode{}
	for _, argument := range strings.Fields(arguments) {
		word, names, given := strings.Cut(argument, "=")
		m := slices.Index(modes[:], word)
		if !given || m < 0 || names == "" {
			return nil, fmt.Errorf("%s%s takes no arguments but iso=, val= and copy= with names of parameters, as in iso=tree val=config,log: remove %q",
				annotationPrefix, a, argument)
		}
		for _, name := range strings.Split(names, ",") {
			if _, twice := found[name]; twice {
				return nil, fmt.Errorf("%s%s gives %s a mode twice: remove one", annotationPrefix, a, name)
			}
			found[name] = Mode(m)
		}
	}
	return found, nil
}

// modeFault says why values of t cannot go the way m to another actor though a message can carry them, or "".
func modeFault(t *Type, m Mode) string {
	if m == Copy || t == nil || t.heapPaths() != nil {
		return ""
	}
	r := t.resolve()
	why := "it is copied anyway"
	switch {
	case r == nil || r.kind == rawKind && r.role == plainRole:
		why = "nobody knows what is behind a function or an interface; it goes as Go passes it"
	case r.role == handleRole:
		why = "a handle only names an actor"
	case r.role == futureRole:
		why = "a future is shared anyway"
	case r.role == plainRole && (r.kind == pointerKind || r.kind == sliceKind || r.kind == mapKind || r.kind == chanKind):
		why = "what it refers to is on Go's heap, and shared as Go shares it"
	}
	return fmt.Sprintf("cannot be %s: %s has no heap objects (%s)", m, t, why)
}

// modesDoc says what callers must know of the modes of a behaviour's parameters.
func (b *Behaviour) modesDoc(params []string) string {
	var given, shared []string
	for i, p := range b.Params {
		switch {
		case p.Type.heapPaths() == nil:
		case p.Mode == Iso:
			given = append(given, params[i])
		case p.Mode == Val:
			shared = append(shared, params[i])
		}
	}
	var lines []string
	if given != nil {
		lines = append(lines, fmt.Sprintf("Given away, and not to be used afterwards: %s.", strings.Join(given, ", ")))
	}
	if shared != nil {
		lines = append(lines, fmt.Sprintf("Shared, and immutable from then on: %s.", strings.Join(shared, ", ")))
	}
	return strings.Join(lines, "\n")
}
