// Package bank is the shape of the example: accounts and transfers.
package bank

import (
	"errors"

	"github.com/encorert/encorert/futures"
	"github.com/encorert/encorert/rt"
)

// ErrFunds is returned when an account would be overdrawn.
var ErrFunds = errors.New("not enough money")

// account is one person's money.
//
//encore:actor
type account struct {
	owner   string
	balance int64
}

// Opened with a name and an amount.
//
//encore:new
func (a *account) init(cctx **rt.Ctx, owner string, balance int64) {
	a.owner, a.balance = owner, balance
}

// Deposit adds to the balance.
//
//	account.Deposit(ctx, 5)
//
//encore:behaviour
func (a *account) Deposit(cctx **rt.Ctx, amount int64) { a.balance += amount }

// Withdraw takes from the balance.
//
//encore:behaviour
func (a *account) Withdraw(cctx **rt.Ctx, amount int64) error {
	if a.balance < amount {
		return ErrFunds
	}
	a.balance -= amount
	return nil
}

//encore:behaviour
func (a *account) Balance(cctx **rt.Ctx) (int64, error) { return a.balance, nil }

//encore:behaviour
func (a *account) owned(cctx **rt.Ctx) string { return a.owner }

//encore:actor
type clerk struct{ done int }

//encore:behaviour
func (c *clerk) Transfer(cctx **rt.Ctx, from, to Account, amount int64) error {
	ctx := *cctx
	if _, err := from.AskWithdraw(ctx, amount).Await(cctx); err != nil {
		return err
	}
	to.Deposit(*cctx, amount)
	c.done++
	return nil
}

// Again sends itself n times, and then fulfils end.
//
//encore:behaviour
func (c *clerk) Again(cctx **rt.Ctx, n int, end futures.Promise[int]) {
	ctx := *cctx
	if n > 0 {
		c.Self(ctx).Again(ctx, n-1, end)
		return
	}
	_ = end.Fulfil(ctx, c.done) // nobody else does
}

//encore:behaviour
func (c *clerk) Done(cctx **rt.Ctx) int { return c.done }

// BalanceOf forwards: who asks it waits for the account, and the clerk for nobody.
//
//encore:behaviour
func (c *clerk) BalanceOf(cctx **rt.Ctx, of Account) (futures.Future[int64], error) {
	if of == (Account{}) {
		return futures.Future[int64]{}, ErrFunds
	}
	return of.AskBalance(*cctx), nil
}

//encore:behaviour
func (c *clerk) NameOf(cctx **rt.Ctx, of Account) futures.Future[string] { return of.askOwned(*cctx) }

// Receipt is an alias, and so a value like others: who asks gets a future of a future.
type Receipt = futures.Future[int64]

//encore:behaviour
func (c *clerk) Receipt(cctx **rt.Ctx, of Account) Receipt { return of.AskBalance(*cctx) }

// Relay asks another clerk, which forwards.
//
//encore:behaviour
func (c *clerk) Relay(cctx **rt.Ctx, other Clerk, of Account) futures.Future[int64] {
	return other.AskBalanceOf(*cctx, of)
}
