package main

import (
	"fmt"
	"io"
	"os"

	"github.com/encorert/encorert/rt"
)

func main() { rt.Main(func(cctx **rt.Ctx) { trade(cctx, os.Stdout) }) }

// trade runs as a behaviour: it may send (with ctx) and wait (with cctx).
func trade(cctx **rt.Ctx, out io.Writer) {
	ctx := *cctx
	alice := NewAccount(ctx, "alice", 100_00)
	bob := NewAccount(ctx, "bob", 0)
	c := NewClerk(ctx)

	// Ask sends and returns a future at once, so both transfers are under way before the first answer is waited for.
	first := c.AskTransfer(ctx, alice, bob, 30_00)
	second := c.AskTransfer(ctx, alice, bob, 90_00)
	if _, err := first.Get(cctx); err != nil {
		fmt.Fprintln(out, err)
	}
	if _, err := second.Get(cctx); err != nil {
		fmt.Fprintln(out, err)
	}

	ctx = *cctx // Get may have moved this behaviour to another worker
	a, _ := alice.AskBalance(ctx).Get(cctx)
	b, _ := bob.AskBalance(*cctx).Get(cctx)
	n, _ := c.AskDone(*cctx).Get(cctx)
	fmt.Fprintf(out, "alice %d.%02d, bob %d.%02d, %d transfer\n", a/100, a%100, b/100, b%100, n)
}
