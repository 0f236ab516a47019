// Package clashes declares what would be generated.
package clashes

import "github.com/encorert/encorert/rt"

// Account is the handle's name.
type Account struct{}

//encore:actor
type account struct{}

//encore:actor
type clerk struct{}

func NewClerk() {}

//encore:behaviour
func (c *clerk) Do(cctx **rt.Ctx) {}

//encore:behaviour
func (c *clerk) AskDo(cctx **rt.Ctx) {}

//encore:behaviour
func (c *clerk) askDo(cctx **rt.Ctx) {}

//encore:behaviour
func (c *clerk) do(cctx **rt.Ctx) {}

//encore:actor
type desk struct{}

//encore:object
type Desk struct{ X int }

//encore:object
type node struct {
	next         *node
	EncoreObject int
}

func newNode() {}
