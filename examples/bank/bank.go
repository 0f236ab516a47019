// Command bank moves money between accounts that are actors: each handles one message at a time, so no balance needs
// a lock.
//
//	go run ./examples/bank
package main

import (
	"errors"
	"fmt"

	"github.com/encorert/encorert/rt"
)

//go:generate go tool encorert gen

// errOverdrawn is what Withdraw fails with.
var errOverdrawn = errors.New("not enough money")

// account is one person's money. The generator makes the handle Account of it, which others send to.
//
//encore:actor
type account struct {
	owner   string
	balance int64 // cents; only behaviours of this account touch it
}

//encore:new
func (a *account) init(cctx **rt.Ctx, owner string, balance int64) {
	a.owner, a.balance = owner, balance
}

// Deposit adds to the balance.
//
//encore:behaviour
func (a *account) Deposit(cctx **rt.Ctx, amount int64) { a.balance += amount }

// Withdraw takes from the balance, or fails.
//
//encore:behaviour
func (a *account) Withdraw(cctx **rt.Ctx, amount int64) error {
	if amount > a.balance {
		return fmt.Errorf("%s: %w", a.owner, errOverdrawn)
	}
	a.balance -= amount
	return nil
}

// Balance returns the balance.
//
//encore:behaviour
func (a *account) Balance(cctx **rt.Ctx) int64 { return a.balance }

// clerk makes transfers.
//
//encore:actor
type clerk struct{ done int }

// Transfer moves amount. While it awaits the answer of one account, the clerk can begin other transfers.
//
//encore:behaviour
func (c *clerk) Transfer(cctx **rt.Ctx, from, to Account, amount int64) error {
	if _, err := from.AskWithdraw(*cctx, amount).Await(cctx); err != nil {
		return fmt.Errorf("transfer: %w", err)
	}
	to.Deposit(*cctx, amount) // a one-way send: nobody waits for it
	c.done++
	return nil
}

// Done returns how many transfers went through.
//
//encore:behaviour
func (c *clerk) Done(cctx **rt.Ctx) int { return c.done }
