package rt_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An exhaustive search over the steps of pressure.go, one shared access a step. Every actor is run by a worker of its own;
// when it gets too many messages, when it has worked them off and to whom it sends are left open, within bounds, so that
// every order is tried. A muter is on its own once it has pushed the actor, since that may run elsewhere then.

type muteFault uint8

const (
	muteAsBuilt muteFault = iota
	noLookAfterPush
	noEpisode
	episodeCountedFirst
	takenBeforeCleared
	mutedWithBit
)

const (
	muteActors = 3
	muteMuters = 3 // how often somebody is muted
)

type mutePC uint8

const (
	muteFree     mutePC = iota
	muteCount           // the bit is cleared
	muteTake            // the episode is counted
	muteHolds           // has found no bit of its own
	muteHoldsToo        // and the receiver's
	muteSetBit
	mutePush
	muteMuted
)

type muteActor struct {
	pc      mutePC
	bit     bool
	episode uint8
	list    uint8 // set of those that are muted on it
	to, at  uint8 // a note, or one in the making; to is the actor's own number where there is none
}

type muter struct {
	pc     uint8 // 0: not used yet
	on, at uint8
}

type muteState struct {
	actors          [muteActors]muteActor
	muters          [muteMuters]muter
	overloads, sent uint8 // so far
}

// muteBounds says how often in all an actor gets too many messages, and sends to one with the bit.
type muteBounds struct{ overloads, sent uint8 }

// muteSteps appends the states that can follow s.
func muteSteps(s muteState, bounds muteBounds, fault muteFault, out []muteState) []muteState {
	take := func(s *muteState, r uint8) {
		for a := range s.actors {
			if s.actors[r].list>>a&1 != 0 {
				if s.actors[a].pc != muteMuted {
					panic(fmt.Sprintf("actor %d is scheduled twice", a))
				}
				s.actors[a].pc, s.actors[a].to, s.actors[a].at = muteFree, uint8(a), 0
			}
		}
		s.actors[r].list = 0
	}
	for i := range s.muters {
		n := s
		m := &n.muters[i]
		on := &n.actors[m.on]
		switch m.pc {
		case 1: // look at the bit
			if m.pc = 2; !on.bit {
				m.pc = 3
			}
		case 2: // look at the episode
			if m.pc = 4; on.episode != m.at && fault != noEpisode {
				m.pc = 3
			}
		case 3:
			take(&n, m.on)
			m.pc = 4
		default:
			continue
		}
		out = append(out, n)
	}
	for i := range s.actors {
		n := s
		a := &n.actors[i]
		noted := int(a.to) != i
		to := &n.actors[a.to]
		forget := func() { a.to, a.at = uint8(i), 0 }
		switch a.pc {
		case muteFree:
			if !a.bit && s.overloads < bounds.overloads {
				b := s
				b.actors[i].bit = true
				b.overloads++
				out = append(out, b)
			}
			if a.bit {
				b := s
				switch c := &b.actors[i]; fault {
				case takenBeforeCleared:
					take(&b, uint8(i))
					c.pc = muteCount
				case episodeCountedFirst:
					c.episode++
					c.pc = muteCount
				default:
					c.bit = false
					c.pc = muteCount
				}
				out = append(out, b)
			}
			if !noted && s.sent < bounds.sent {
				for r := range s.actors {
					if r == i { // to one without the bit as well: it may have been cleared since it was seen
						continue
					}
					b := s
					c := &b.actors[i]
					b.sent++
					c.to, c.at = uint8(r), b.actors[r].episode
					out = append(out, b)
				}
			}
			if noted { // the behaviour has ended
				b := s
				if c := &b.actors[i]; c.bit && fault != mutedWithBit {
					c.to, c.at = uint8(i), 0
				} else {
					c.pc = muteHolds
				}
				out = append(out, b)
			}
			continue
		case muteCount:
			switch fault {
			case takenBeforeCleared:
				a.bit = false
				a.episode++
				a.pc = muteFree
			case episodeCountedFirst:
				a.bit = false
				a.pc = muteTake
			default:
				a.episode++
				a.pc = muteTake
			}
		case muteTake:
			take(&n, uint8(i))
			a.pc = muteFree
		case muteHolds:
			if a.pc = muteHoldsToo; !to.bit {
				a.pc = muteFree
				forget()
			}
		case muteHoldsToo:
			if a.pc = muteSetBit; to.episode != a.at && fault != noEpisode {
				a.pc = muteFree
				forget()
			}
		case muteSetBit:
			a.bit = true
			a.pc = mutePush
		case mutePush:
			k := 0
			for k < muteMuters && n.muters[k].pc != 0 {
				k++
			}
			if k == muteMuters {
				a.pc = muteFree // out of bounds: this one goes on
				forget()
				break
			}
			to.list |= 1 << i
			a.pc = muteMuted
			if n.muters[k] = (muter{pc: 1, on: a.to, at: a.at}); fault == noLookAfterPush {
				n.muters[k].pc = 4
			}
		default:
			continue
		}
		out = append(out, n)
	}
	return out
}

// exploreMutes visits every state that can be reached, and returns how many, and the first thing that is wrong.
func exploreMutes(bounds muteBounds, fault muteFault) (states int, wrong any) {
	defer func() { wrong = recover() }()
	var start muteState
	for a := range start.actors {
		start.actors[a].to = uint8(a)
	}
	seen := map[muteState]struct{}{start: {}}
	stack := []muteState{start}
	var next []muteState
	for len(stack) > 0 {
		s := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		states++
		next = muteSteps(s, bounds, fault, next[:0])
		if len(next) == 0 {
			for a := range s.actors {
				if s.actors[a].pc == muteMuted {
					panic(fmt.Sprintf("actor %d stays muted on %d: %+v", a, s.actors[a].to, s))
				}
			}
		}
		if a, cycle := muteCycle(s); cycle {
			panic(fmt.Sprintf("actor %d waits for itself: %+v", a, s))
		}
		for _, n := range next {
			if _, ok := seen[n]; !ok {
				seen[n] = struct{}{}
				stack = append(stack, n)
			}
		}
	}
	return states, nil
}

// muteCycle looks for actors that are muted on each other while no muter has still to look.
func muteCycle(s muteState) (int, bool) {
	for _, m := range s.muters {
		if m.pc != 0 && m.pc != 4 {
			return 0, false
		}
	}
	for a := range s.actors {
		at := a
		for range muteActors {
			if s.actors[at].pc != muteMuted {
				break
			}
			if at = int(s.actors[at].to); at == a {
				return a, true
			}
		}
	}
	return 0, false
}

func TestModelOfMuting(t *testing.T) {
	bounds := muteBounds{overloads: 1, sent: 3}
	if long {
		bounds = muteBounds{overloads: 2, sent: 4} // minutes
	}
	states, wrong := exploreMutes(bounds, muteAsBuilt)
	require.Nil(t, wrong)
	t.Logf("%d states", states)
	assert.Greater(t, states, 10_000)
}

// The search is worth something only if it finds what is wrong.
func TestModelOfMutingFindsFaults(t *testing.T) {
	for name, fault := range map[string]muteFault{
		"no look after the push":                     noLookAfterPush,
		"any episode will do":                        noEpisode,
		"the episode is counted before the clearing": episodeCountedFirst,
		"the list is taken before the clearing":      takenBeforeCleared,
		"an actor with the bit is muted":             mutedWithBit,
	} {
		t.Run(name, func(t *testing.T) {
			states, wrong := exploreMutes(muteBounds{2, 3}, fault)
			assert.NotNil(t, wrong)
			t.Logf("after %d states: %v", states, wrong)
		})
	}
}
