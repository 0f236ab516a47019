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
