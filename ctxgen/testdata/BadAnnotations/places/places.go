// Package places has annotations where they cannot be.
package places

import "github.com/encorert/encorert/rt"

//encore:actor
func function() {}

//encore:actor
type named int

//encore:object
type alias = struct{ X int }

//encore:actor
type generic[T any] struct{ t T }

//encore:behaviour
func (g *generic[T]) Ignored(cctx **rt.Ctx) {}

//encore:object
type Pair[A, B any] struct {
	a A
	b B
}

//encore:behaviour
type method struct{}

//encore:behaviour
func free(cctx **rt.Ctx) {}

type plain struct{}

//encore:behaviour
func (p *plain) Do(cctx **rt.Ctx) {}

//encore:actor
type (
	first  struct{}
	second struct{}
)

//encore:object
var variable int

//encore:actor
//encore:object
type both struct{}

func inside() {
	//encore:behaviour
	_ = 1
}

type outer struct {
	//encore:object
	field int
}

//encore:actor

type separate struct{}
