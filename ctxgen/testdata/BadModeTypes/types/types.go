// Package types has parameters whose mode makes no sense.
package types

import (
	"github.com/encorert/encorert/futures"
	"github.com/encorert/encorert/gc"
	"github.com/encorert/encorert/rt"
)

//encore:object
type node struct{ next *node }

//encore:actor
type actor struct{}

type pairOf[T any] struct{ a, b T }

//encore:behaviour val=n,f,i,c,m,p,l iso=h,u
func (a *actor) Values(cctx **rt.Ctx, n int, f func() int, i error, c chan int, m map[string]int, p *int, l []string, h Actor, u futures.Future[int]) {
}

//encore:behaviour val=p,q iso=rest
func (a *actor) Generic(cctx **rt.Ctx, p pairOf[int], q pairOf[*node], rest ...string) {}

//encore:behaviour val=return
func (a *actor) Number(cctx **rt.Ctx) (int, error) { return 0, nil }

//encore:behaviour val=o iso=m
func (a *actor) Objects(cctx **rt.Ctx, o gc.Object, m map[string]*node) {}
