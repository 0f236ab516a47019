// Package spelling has annotations that are nearly right. Prose about encore: actor annotations is none,
// and neither is this: //encore:actor
package spelling

import "github.com/encorert/encorert/rt"

//encore:actr
type a struct{}

// encore:actor
type b struct{}

// encore:
type c struct{}

//encore:actor quickly
type d struct{}

//encore:constructor
func (d *d) init(cctx **rt.Ctx) {}

//encore:behavior
func (d *d) Do(cctx **rt.Ctx) {}

//encore:xyz
func (d *d) Undo(cctx **rt.Ctx) {}

// encore: object
type e struct{}

// An actor is made by
//
//	encore:actor
type f struct{}

//encorert:actor
type g struct{}

//encore actor
type h struct{}

//Encore:actor
type i struct{}

//encore: actor
type j struct{}

//go:encore:actor
type k struct{}

//go:encore object
type l struct{}

// Encorert: Object
type m struct{}

//ecnore:object
type n struct{}

//encorert:behavior
func (d *d) Redo(cctx **rt.Ctx) {}

type (
	//encore.actor
	o struct{}
)

// An object of encore:
// encore actor
//
// encoder: object
//
//	Encore:actor
type p struct{}

/*encore:actor*/
type q struct{}

/* encore:behaviour */ func (q *q) Do(cctx **rt.Ctx) {}

/*Encore:object*/
type r struct{}

/* An object of
encore:
*/
type s struct{}

//encode method
func free() {
	//Encore:actor
}

//encore:actor mailbox=0
type t struct{}

// Of a type whose annotation is wrong, so that nothing is said here.
//
//encore:behaviour
func (t *t) Do(cctx **rt.Ctx) {}
