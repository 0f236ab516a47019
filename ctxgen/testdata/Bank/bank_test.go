package bank

import (
	"runtime"
	"testing"

	"github.com/encorert/encorert/futures"
	"github.com/encorert/encorert/rt"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Handles satisfy interfaces of behaviours.
type depositor interface{ Deposit(*rt.Ctx, int64) }

var _ depositor = Account{}

func run(t *testing.T, main func(cctx **rt.Ctx)) {
	t.Helper()
	r, err := rt.New(rt.Config{})
	require.NoError(t, err)
	require.NoError(t, r.Run(main))
	require.NoError(t, r.Close())
}

func TestTransfer(t *testing.T) {
	run(t, func(cctx **rt.Ctx) {
		ctx := *cctx
		alice, bob, c := NewAccount(ctx, "alice", 100), NewAccount(ctx, "", 0), NewClerk(ctx)
		_, err := c.AskTransfer(ctx, alice, bob, 30).Get(cctx)
		assert.NoError(t, err)
		_, err = c.AskTransfer(*cctx, alice, bob, 80).Get(cctx)
		assert.ErrorIs(t, err, ErrFunds)
		balance, err := bob.AskBalance(*cctx).Get(cctx)
		assert.NoError(t, err)
		assert.EqualValues(t, 30, balance)
		name, err := alice.askOwned(*cctx).Get(cctx)
		assert.NoError(t, err)
		assert.Equal(t, "alice", name)
		done, err := c.AskDone(*cctx).Get(cctx)
		assert.NoError(t, err)
		assert.Equal(t, 1, done)
	})
}

func TestNoGoAllocationPerMessage(t *testing.T) {
	t.Setenv(rt.ModesVariable, "") // the modes that check things allocate
	const messages = 1_000_000
	run(t, func(cctx **rt.Ctx) {
		c := NewClerk(*cctx)
		count := func(n int) uint64 {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			end := futures.NewPromise[int](*cctx, nil)
			c.Again(*cctx, n, end)
			_, err := end.Future().Get(cctx)
			assert.NoError(t, err)
			runtime.ReadMemStats(&after)
			return after.Mallocs - before.Mallocs
		}
		count(1000) // mailboxes and pools grow
		assert.Less(t, count(messages), uint64(1000))
	})
}

func TestSendToZeroHandle(t *testing.T) {
	r, err := rt.New(rt.Config{})
	require.NoError(t, err)
	err = r.Run(func(cctx **rt.Ctx) { Account{}.Deposit(*cctx, 1) })
	var panicked *rt.PanicError
	require.ErrorAs(t, err, &panicked)
	assert.Contains(t, panicked.Error(), "rt: ", "the runtime says what is wrong, not a fault")
	require.NoError(t, r.Close())
}

// Who asks a behaviour that returns a future waits for that future's answer; the one asked has ended long before. A one-way
// send of it drops the future.
func TestForward(t *testing.T) {
	run(t, func(cctx **rt.Ctx) {
		ctx := *cctx
		alice, first, second := NewAccount(ctx, "alice", 7), NewClerk(ctx), NewClerk(ctx)
		first.BalanceOf(ctx, alice)
		balance, err := first.AskRelay(ctx, second, alice).Get(cctx)
		assert.NoError(t, err)
		assert.EqualValues(t, 7, balance)
		_, err = first.AskRelay(*cctx, second, Account{}).Get(cctx)
		assert.ErrorIs(t, err, ErrFunds)
		name, err := second.AskNameOf(*cctx, alice).Await(cctx)
		assert.NoError(t, err)
		assert.Equal(t, "alice", name)
		receipt, err := first.AskReceipt(*cctx, alice).Get(cctx)
		assert.NoError(t, err)
		balance, err = receipt.Get(cctx)
		assert.NoError(t, err)
		assert.EqualValues(t, 7, balance)
	})
}

// A behaviour that was asked and cancelled before it began does not run.
func TestCancelledAskDoesNotRun(t *testing.T) {
	r, err := rt.New(rt.Config{Workers: 1})
	require.NoError(t, err)
	defer r.Close()
	require.NoError(t, r.Run(func(cctx **rt.Ctx) {
		c := NewClerk(*cctx)
		accounts := [2]Account{NewAccount(*cctx, "", 10), NewAccount(*cctx, "", 0)}
		f := accounts[0].AskDeposit(*cctx, 5)
		assert.True(t, f.Cancel(*cctx)) // nothing runs before this behaviour ends or waits, on one worker
		assert.False(t, f.Cancel(*cctx))
		_, err := f.Get(cctx)
		assert.ErrorIs(t, err, futures.ErrCanceled)
		balance, err := c.AskBalanceOf(*cctx, accounts[0]).Get(cctx)
		assert.NoError(t, err)
		assert.EqualValues(t, 10, balance)
	}))
}
