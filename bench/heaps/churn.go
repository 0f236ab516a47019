package heaps

import (
	"github.com/encorert/encorert/bench/harness"
	"github.com/encorert/encorert/futures"
	"github.com/encorert/encorert/rt"
)

// Churn is arrays of many sizes that come and go.
func Churn() harness.Workload { return churn.workload() }

var churn = job{
	name:    "churn",
	summary: "arrays of bytes of many sizes, of which a window lives",
	description: `Arrays of 16 bytes to 4 KiB are made, small ones more often, and now and then one of 64 KiB. Each is filled from a text, and takes the
place of an older one at random in a window of those that live; a byte of that is read first.`,
	sizes: []size{
		{"window", 4096, 1, 1_000_000, "arrays that live"},
		{"arrays", 1_000_000, 1, 1_000_000_000, "arrays that are made"},
	},
	ops:  func(p params) int64 { return int64(p.Sizes["arrays"]) },
	want: churnWant,
	spawn: func(ctx *rt.Ctx, p params) func(*rt.Ctx, futures.Promise[uint64]) {
		return NewChurner(ctx, p.Sizes["window"], p.Sizes["arrays"]).Start
	},
	plain: plainChurn,
}

// text is what arrays are filled from.
var text = func() []byte {
	t := make([]byte, largeText)
	x := seed
	for i := range t {
		t[i] = byte(x.next())
	}
	return t
}()

const largeText = 64 << 10

// turn is what happens to one array.
type turn struct {
	place int // in the window
	size  int // bytes of the fresh array
	at    int // byte of the old one that is read, in 1/65536 of its size
}

// of is the byte that is read of an old array of n bytes.
func (t turn) of(n int) int { return int(uint64(n) * uint64(t.at) >> 16) }

// turnOf draws the next turn: sizes are even in each power of two from 16 to 4096, and one of 1,024 is large.
func turnOf(x *random, window int) turn {
	r := x.next()
	t := turn{place: int(r>>32) % window, at: int(r & 0xFFFF)}
	if r>>16&1023 == 0 {
		t.size = largeText
	} else {
		power := 16 << (r >> 26 & 7)
		t.size = min(power+int(r>>16)&(power-1), 4096)
	}
	return t
}

func churnWant(p params) (sum uint64) {
	sizes := make([]int, p.Sizes["window"])
	x := seed
	for range p.Sizes["arrays"] {
		t := turnOf(&x, len(sizes))
		if n := sizes[t.place]; n > 0 {
			sum = weigh(sum, uint64(text[t.of(n)]))
		}
		sizes[t.place] = t.size
	}
	return sum
}

func plainChurn(p params) (sum uint64) {
	window := make([][]byte, p.Sizes["window"])
	x := seed
	for range p.Sizes["arrays"] {
		t := turnOf(&x, len(window))
		if old := window[t.place]; old != nil {
			sum = weigh(sum, uint64(old[t.of(len(old))]))
		}
		fresh := make([]byte, t.size)
		copy(fresh, text)
		window[t.place] = fresh
	}
	return sum
}
