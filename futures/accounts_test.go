package futures_test

import (
	"unsafe"

	"github.com/encorert/encorert/futures"
	"github.com/encorert/encorert/rt"
)

// account is what ctxgen makes of an actor with one behaviour; its sends allocate nothing but the promise.
type account struct {
	rt.Actor
	balance int64
}

var (
	accountType       = rt.ActorType{Name: "bank.account"}
	accountAskDeposit = rt.Behaviour{Name: "Deposit", Run: runAccountAskDeposit, Fail: futures.FailReply}
)

func newAccount(ctx *rt.Ctx) *account {
	a := new(account)
	rt.Spawn(ctx, &a.Actor, &accountType)
	return a
}

// AskDeposit adds to the balance and answers what it is then.
func (a *account) AskDeposit(ctx *rt.Ctx, amount int64) futures.Future[int64] {
	p := futures.NewPromiseFor[int64](ctx, &a.Actor, &accountAskDeposit)
	rt.Send(ctx, &a.Actor, rt.Message{B: &accountAskDeposit, W0: uint64(amount), P1: p.Pointer()})
	return p.Future()
}

func runAccountAskDeposit(cctx **rt.Ctx, a *rt.Actor, m *rt.Message) {
	amount, p := int64(m.W0), futures.PromiseAt[int64](m.P1)
	m.P1 = nil
	if !p.Wanted() {
		return
	}
	state := (*account)(unsafe.Pointer(a))
	state.balance += amount
	_ = p.Settle(*cctx, state.balance, nil)
}
