package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/rt"
)

func TestTrade(t *testing.T) {
	for _, workers := range []int{1, 2, 4} {
		r, err := rt.New(rt.Config{Workers: workers})
		require.NoError(t, err)
		var out bytes.Buffer
		require.NoError(t, r.Run(func(cctx **rt.Ctx) { trade(cctx, &out) }))
		require.NoError(t, r.Close())
		assert.Equal(t, "transfer: alice: not enough money\nalice 70.00, bob 30.00, 1 transfer\n", out.String())
	}
}

// Money is neither made nor lost, whatever the order of transfers.
func TestMoneyIsConserved(t *testing.T) {
	r, err := rt.New(rt.Config{})
	require.NoError(t, err)
	defer r.Close()
	const accounts, transfers = 20, 5_000
	var all []Account
	require.NoError(t, r.Run(func(cctx **rt.Ctx) {
		for range accounts {
			all = append(all, NewAccount(*cctx, "somebody", 1_000))
		}
		clerks := []Clerk{NewClerk(*cctx), NewClerk(*cctx), NewClerk(*cctx)}
		for i := range transfers {
			ctx := *cctx
			from, to := all[ctx.Rand()%accounts], all[ctx.Rand()%accounts]
			clerks[i%len(clerks)].Transfer(ctx, from, to, int64(ctx.Rand()%300))
		}
	}))
	total := int64(0)
	require.NoError(t, r.Run(func(cctx **rt.Ctx) { // the first run ended when all transfers had
		for _, a := range all {
			n, err := a.AskBalance(*cctx).Get(cctx)
			assert.NoError(t, err)
			assert.GreaterOrEqual(t, n, int64(0))
			total += n
		}
	}))
	assert.EqualValues(t, accounts*1_000, total)
}
