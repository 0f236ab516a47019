// Package selves declares Self.
package selves

import "github.com/encorert/encorert/rt"

//encore:actor
type a struct{ Self int }

//encore:actor
type b struct{}

//encore:behaviour
func (b *b) Self(cctx **rt.Ctx) {}

//encore:actor
type giver struct{}

//encore:behaviour
func (g *giver) EncoreGiven(cctx **rt.Ctx) {}
