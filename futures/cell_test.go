//go:build race || encorert_invariants

package futures

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/internal/invariant"
	"github.com/encorert/encorert/internal/strand"
	"github.com/encorert/encorert/rt"
)

// This file runs the cell's own code, not a model of it, in all orders of its atomic steps: each party is a coroutine
// that is left at every point of the protocol: before each atomic step that changes the word. The points exist only in
// invariant builds.

// meeting is one run of some parties on one cell.
type meeting struct {
	t       *testing.T
	cell    header
	added   []string // who got into the list, in the order of their compare-and-swaps
	told    []string // who was told, in order
	answers []string // who won
	gates   []<-chan struct{}
}

// member is a waiter of a meeting.
type member struct {
	node
	name string
	m    *meeting
}

func (w *member) told(*rt.Ctx) *rt.Waiter {
	assert.Error(w.m.t, w.m.cell.err, "told before the answer was there")
	w.m.told = append(w.m.told, w.name)
	return nil
}

func (m *meeting) member(name string) *member {
	w := &member{name: name, m: m}
	w.reaction = w
	return w
}

// party is what one coroutine does at a meeting.
type party func(m *meeting)

// chains registers functions one after the other.
func chains(names ...string) party {
	return func(m *meeting) {
		for _, name := range names {
			w := m.member(name)
			if m.cell.register(&w.Waiter, done) {
				m.added = append(m.added, name)
			} else {
				m.added = append(m.added, name)
				w.told(nil)
			}
		}
	}
}

// parks registers as a strand does: it need not be told when it sees the answer.
func parks(name string) party {
	return func(m *meeting) {
		if w := m.member(name); m.cell.register(&w.Waiter, draining) {
			m.added = append(m.added, name)
		} else {
			assert.Error(m.t, m.cell.err, "went on before the answer was there")
		}
	}
}

// waits registers as a goroutine does.
func waits(m *meeting) {
	if open := m.cell.opening(); open != nil {
		m.gates = append(m.gates, open)
	} else {
		assert.Error(m.t, m.cell.err)
	}
}

// fulfils answers.
func fulfils(name string) party {
	return func(m *meeting) {
		if m.cell.claim() {
			m.answers = append(m.answers, name)
			m.cell.err = errors.New(name)
			m.cell.publish(nil)
		}
	}
}

// meet runs the parties in the order that choices says, as far as it goes, and then each to its end. It returns the
// choices made and how many there were at each.
func meet(t *testing.T, parties []party, choices []int) (m *meeting, made, of []int) {
	m = &meeting{t: t}
	var yield func(string) bool // of the party that runs
	running := make([]*strand.Coroutine[string], len(parties))
	for i, p := range parties {
		running[i] = strand.New(func(mine func(string) bool) {
			yield = mine
			p(m)
		})
	}
	yields := make(map[*strand.Coroutine[string]]func(string) bool, len(parties))
	defer invariant.OnPoint(func(point string) {
		if point != "futures.claimed" { // for the others it is the same as the next, and 20 times as many orders
			yield(point)
		}
	})()
	for len(running) > 0 {
		choice := 0
		if len(made) < len(choices) {
			choice = choices[len(made)]
		}
		made, of = append(made, choice), append(of, len(running))
		c := running[choice]
		yield = yields[c]
		_, more := c.Resume()
		yields[c] = yield
		if !more {
			running = append(running[:choice:choice], running[choice+1:]...)
		}
	}
	return m, made, of
}

// next returns the choices of the next order, depth first, or nil after the last.
func next(made, of []int) []int {
	for i := len(made) - 1; i >= 0; i-- {
		if made[i]+1 < of[i] {
			made[i]++
			return made[:i+1]
		}
	}
	return nil
}

func TestEveryOrderOfSteps(t *testing.T) {
	for _, c := range []struct {
		name    string
		parties []party
	}{
		{"two functions of one actor", []party{chains("a", "b"), fulfils("f")}},
		{"functions of two actors", []party{chains("a"), chains("b"), fulfils("f")}},
		{"a function and a strand", []party{chains("a"), parks("s"), fulfils("f")}},
		{"a strand and a goroutine", []party{parks("s"), waits, fulfils("f")}},
		{"two goroutines", []party{waits, waits, fulfils("f")}},
		{"two answers", []party{chains("a"), fulfils("f"), fulfils("g")}},
		{"two answers and a goroutine", []party{waits, fulfils("f"), fulfils("g")}},
		{"functions and a goroutine", []party{chains("a", "b"), waits, fulfils("f")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			orders, shared := 0, 0
			for choices := []int{}; choices != nil; orders++ {
				m, made, of := meet(t, c.parties, choices)
				require.Len(t, m.answers, 1, "order %v", made)
				require.EqualError(t, m.cell.err, m.answers[0])
				require.Equal(t, m.added, m.told, "order %v: told in another order than added, not once, or never", made)
				require.True(t, m.cell.word.Load() == emptyDone, "order %v", made)
				for _, g := range m.gates {
					select {
					case <-g:
					default:
						require.FailNow(t, "a goroutine was not told", "order %v", made)
					}
				}
				if len(m.gates) > 1 && m.gates[0] == m.gates[1] {
					shared++
				}
				choices = next(made, of)
			}
			t.Logf("%d orders", orders)
			assert.Greater(t, orders, 50)
			if c.name == "two goroutines" {
				assert.Positive(t, shared, "never shared a gate")
			}
		})
	}
}
