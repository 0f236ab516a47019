package ctxgen

import "go/token"

// A Package is what the generator knows of one Go package: the actors and heap
// objects declared in it and the names that are taken. The loader builds it
// from annotated source; a compiler builds it in Go and calls Emit.
//
// Positions are only carried to the errors and may be zero. They are positions
// in whatever the caller's users wrote, not necessarily in Go.
type Package struct {
	Path string // import path
	Name string // name in the package clause

	Actors  []*Actor  // emitted in this order
	Objects []*Object // emitted in this order, before the actors

	// Declared holds the package-level names that the package declares beside
	// the generated file, for the clash check. Names that are missing here are
	// found by Go's compiler instead.
	Declared map[string]token.Position

	// Imports gives the names of imported packages by import path, where the
	// caller knows them. An unknown package is imported under a name derived
	// from its path.
	Imports map[string]string

	// Sources are the names of the input files for the head of the output.
	Sources []string
}

// An Actor is a state type with behaviours. The state type and the methods are
// declared by the package; the generator adds the handle and the sends.
type Actor struct {
	Name string // of the state type
	// Handle is the name of the handle type; empty means the state type's name
	// with its first letter in upper case, or with Ref appended where that is
	// the state type's name.
	Handle string
	Doc    string // text without comment markers

	// MailboxLimit is rt.ActorType's: how many messages may wait before senders are held back. 0: as the runtime says;
	// negative: never.
	MailboxLimit int

	State      []Field // fields of the state type, for the trace function
	New        *Behaviour
	Behaviours []*Behaviour // emitted in this order

	// Members holds the fields and methods of the state type, for the clash check.
	Members map[string]token.Position
	Pos     token.Position
}

// A Behaviour is one method of an actor's state type: cctx **rt.Ctx first, then
// Params; its results are Result, if any, and an error, if Err. A behaviour whose
// result is a futures.Future[T] forwards: those who ask it get a future of T.
type Behaviour struct {
	Name   string // of the method
	Doc    string // text without comment markers
	Params []Param
	Result *Type // nil: none
	// ResultMode says how the result goes to those who read the future: Copy or Val.
	ResultMode Mode
	Err        bool
	Pos        token.Position
}

// A Param is a parameter of a behaviour without the context.
type Param struct {
	Name     string // may be empty or "_"
	Type     *Type
	Variadic bool // Type is the slice; only for the last one
	Mode     Mode // how its heap objects go to the receiver
	Pos      token.Position
}

// An Object is a struct type whose values live in actors' heaps.
type Object struct {
	Name   string
	Doc    string
	Fields []Field
	// Members holds the fields and methods of the type, for the clash check.
	Members map[string]token.Position
	Pos     token.Position
}

// A Field is a field of an actor's state, of an object or of a struct type.
type Field struct {
	Name     string // of an embedded field: the type's name
	Type     *Type
	Embedded bool
	Tag      string // as reflect.StructTag; only struct literals print it
	Pos      token.Position
}
