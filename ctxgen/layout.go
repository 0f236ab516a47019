package ctxgen

// How arguments travel in an rt.Message: in its words W0 to W2 and pointers P0
// and P1, or, if they do not fit, in a pooled struct that P0 points to. P1 is
// the promise of an ask.

const (
	messageWords    = 3
	messagePointers = 2
)

// A carriage is how a parameter travels in a slot.
type carriage uint8

const (
	pooledCarriage  carriage = iota // not at all: needs the struct
	intCarriage                     // one word
	boolCarriage                    // one word
	float64Carriage                 // one word: its bits
	float32Carriage                 // one word: its bits
	stringCarriage                  // a word and a pointer: length and data
	pointerCarriage                 // a pointer
	wordCarriage                    // a pointer: a struct of one, handle or future
)

func carriageOf(t *Type) carriage {
	r := t.resolve()
	switch {
	case r == nil || r.isHeapPointer():
		return pooledCarriage
	case r.role == handleRole || r.role == futureRole:
		return wordCarriage
	case r.role != plainRole:
		return pooledCarriage
	case r.kind == pointerKind:
		return pointerCarriage
	case r.kind != basicKind:
		return pooledCarriage
	}
	switch r.name {
	case "bool":
		return boolCarriage
	case "string":
		return stringCarriage
	case "float64":
		return float64Carriage
	case "float32":
		return float32Carriage
	case "complex64", "complex128":
		return pooledCarriage
	case "unsafe.Pointer":
		return pointerCarriage
	}
	return intCarriage
}

// words and pointers are what a parameter takes of a message.
func (c carriage) words() int {
	switch c {
	case intCarriage, boolCarriage, float64Carriage, float32Carriage, stringCarriage:
		return 1
	}
	return 0
}

func (c carriage) pointers() int {
	switch c {
	case stringCarriage, pointerCarriage, wordCarriage:
		return 1
	}
	return 0
}

// A slot is where a parameter travels: the indices of its word and its pointer, if it has them.
type slot struct {
	carriage      carriage
	word, pointer int
}

// slots lays the parameters out in a message; ok is false if they need the struct.
func slots(params []Param, ask bool) (out []slot, ok bool) {
	words, pointers := 0, 0
	for _, p := range params {
		c := carriageOf(p.Type)
		if c == pooledCarriage {
			return nil, false
		}
		out = append(out, slot{c, words, pointers})
		words += c.words()
		pointers += c.pointers()
	}
	limit := messagePointers
	if ask {
		limit--
	}
	return out, words <= messageWords && pointers <= limit
}
