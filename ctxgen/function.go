package ctxgen

import "go/token"

// An Effect is what a call of a function may do to the execution context, and so which context the function takes.
type Effect uint8

const (
	// Plain functions take no context: they neither switch nor collect, and send nothing.
	Plain Effect = iota
	// Leaf functions take *rt.Ctx first, and never switch nor collect.
	Leaf
	// Switching functions take **rt.Ctx first: they may switch threads or collect.
	Switching
	// Blocking functions take no context and may block in the operating system or on a Go channel. Calls go through
	// rt.Blocking, which may switch, and have its error as one more result. Only foreign functions block.
	Blocking
)

var effects = [...]string{Plain: "plain", Leaf: "leaf", Switching: "switching", Blocking: "blocking"}

// String returns the effect in one word.
func (e Effect) String() string { return effects[e] }

func (e Effect) switches() bool { return e >= Switching }

// A Function is a Go function or method that bodies call: of the program itself, if Program.Func made it, of another
// package that was built the same way, or foreign, which is written by hand.
type Function struct {
	Path    string // import path of the package; that of a method is not used
	Name    string
	Method  bool // the first argument is the receiver, which comes before the context
	Effect  Effect
	Params  []Param // without the context; of a method without the receiver
	Results []*Type
	Pos     token.Position
}

// A TypeParam is a type parameter of a function of the program. It may stand for any type that holds no heap pointer.
type TypeParam struct {
	Name       string
	Constraint *Type
}

// TypeOf returns the type that a type parameter stands for inside the function.
func (p TypeParam) TypeOf() *Type { return Named("", p.Name, nil) }
