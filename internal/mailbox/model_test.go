package mailbox

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/internal/hammer"
)

// An exhaustive search over the steps of Box and Outbox, one shared access a step, with three actors and two or three
// workers. What a scheduler decides by hints (run on or yield, keep private or share, claim an idle actor or send it a node,
// flush or wait) is left open, so every choice is tried. So is the order of linking, as far as the nodes of one box are
// in order; and whether what is for one box alone goes as one node or as several. To hand an actor over to another
// worker's inbox is to share it: all may take it from there.
//
// A Remote is locked for a step or from Close to Reopen; who wants it meanwhile has no step. That an actor is let go without
// the lock while all others sleep is not in the model.

type modelFault uint8

const (
	noFault modelFault = iota
	localPushWithoutDrain
	localPushIgnoresLate
	homeKeptWhenShared
	homeKeptByRelease
	releaseStores
	releaseIgnoresLate
	claimStores
	claimWhileHeld
	everyPushOwns
	idlePushDoesNotOwn
	publishedBeforeLinked
	takesUnpublished
	nodesByThemselves
	linkedNewestFirst
	shareWithoutFlush
	adoptWithoutFlush
	releaseWithoutFlush
	tellWithoutFlush
	pushIgnoresEpoch
	epochAfterHome
	sharedUnclosed
	releasedUnclosed
	localPushBeforeRemote
	twoWays
	parcelTakesUnpublished
)

const (
	actorA      = 0
	actorB      = 1
	actorC      = 2
	modelActors = 3
	everybody   = 3 // the receiver of what is told by another way than a message
	nobody      = 7 // no owner
	inQueue     = 6 // owned by the shared queue
)

const (
	msgGo uint8 = iota + 1
	msgStart
	msgN
	msg4
	msg5
	msg6
	msg7
	msgSelf
	modelMessages
)

type modelSend struct {
	to, msg uint8
	told    bool // only if it has been told
}

type modelOrder struct{ first, second uint8 }

// modelScenario is what each message makes its receiver send. A handles msgGo and B msgStart at the beginning.
type modelScenario struct {
	name    string
	workers int
	script  [modelMessages][]modelSend
	before  []modelOrder // the order in which C must see them, where it sees the second
	seen    uint8        // how many messages C sees at least
}

var modelScenarios = []*modelScenario{
	{
		// B learns of 5 by another way than a message: a future that A fulfils.
		name:    "told",
		workers: 3,
		script: [modelMessages][]modelSend{
			msgGo:    {{to: actorC, msg: msg5}, {to: everybody}},
			msgStart: {{to: actorC, msg: msg7, told: true}},
		},
		before: []modelOrder{{msg5, msg7}},
		seen:   1,
	},
	{
		// A sends 5 to C and n to B, which sends 7 to C.
		name:    "one group",
		workers: 3,
		script: [modelMessages][]modelSend{
			msgGo: {{to: actorC, msg: msg5}, {to: actorB, msg: msgN}},
			msgN:  {{to: actorC, msg: msg7}},
		},
		before: []modelOrder{{msg5, msg7}},
		seen:   2,
	},
	{
		// A sends 5 and 6 to C and then n to B, in one group or in several; B, when it starts, sends 4 to C, and on n sends
		// 7. So C must see 5 before 6 before 7, and 4 before 7: the last is what B knew of when it sent. C answers 5 with a
		// message to itself.
		name:    "several",
		workers: hammer.Rounds(2, 3),
		script: [modelMessages][]modelSend{
			msgGo:    {{to: actorC, msg: msg5}, {to: actorC, msg: msg6}, {to: actorB, msg: msgN}},
			msgStart: {{to: actorC, msg: msg4}},
			msgN:     {{to: actorC, msg: msg7}},
			msg5:     {{to: actorC, msg: msgSelf}},
		},
		before: []modelOrder{{msg5, msg6}, {msg6, msg7}, {msg4, msg7}, {msg5, msgSelf}},
		seen:   5,
	},
}

// end checks a state from which no worker can go on.
func (c *modelScenario) end(s modelState) {
	for a, b := range s.boxes {
		if !b.idle || b.owner != nobody || b.local.n+b.late.n+b.remote.n > 0 {
			panic(fmt.Sprintf("actor %d is left behind: %+v", a, b))
		}
	}
	for w, v := range s.workers {
		if v.remote.n+v.out.n > 0 {
			panic(fmt.Sprintf("worker %d keeps messages: %+v", w, v))
		}
	}
	if s.seen.n < c.seen {
		panic(fmt.Sprintf("C has seen %d messages, not %d", s.seen.n, c.seen))
	}
	at := map[uint8]int{}
	for k, m := range s.seen.x[:s.seen.n] {
		at[m] = k + 1
	}
	for _, o := range c.before {
		if at[o.second] != 0 && (at[o.first] == 0 || at[o.first] > at[o.second]) {
			panic(fmt.Sprintf("C has seen %v, where %d goes before %d", s.seen.x[:s.seen.n], o.first, o.second))
		}
	}
}

// explore visits every state that can be reached, and returns how many, and the first thing that is wrong.
func (c *modelScenario) explore(fault modelFault) (states int, ends map[modelList]struct{}, wrong any) {
	defer func() { wrong = recover() }()
	start := modelStart()
	start.order(c.workers)
	ends = map[modelList]struct{}{}
	seen := map[modelState]struct{}{start: {}}
	stack := []modelState{start}
	m := &modelStep{modelScenario: c, fault: fault}
	for len(stack) > 0 {
		s := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		states++
		m.out = m.out[:0]
		for i := range c.workers {
			m.s, m.i = s, uint8(i)
			m.step()
		}
		if len(m.out) == 0 {
			c.end(s)
			ends[s.seen] = struct{}{}
		}
		for _, n := range m.out {
			n.order(c.workers)
			if _, ok := seen[n]; !ok {
				seen[n] = struct{}{}
				stack = append(stack, n)
			}
		}
	}
	return states, ends, nil
}

func TestModelOfDelivery(t *testing.T) {
	for _, c := range modelScenarios {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			states, ends, wrong := c.explore(noFault)
			require.Nil(t, wrong)
			t.Logf("%d states, C sees %d orders", states, len(ends))
			assert.NotEmpty(t, ends)
		})
	}
}

// The search is worth something only if it finds what is wrong.
func TestModelFindsFaults(t *testing.T) {
	for name, fault := range map[string]modelFault{
		"local push without moving the remote part":    localPushWithoutDrain,
		"local push that leaves what was late":         localPushIgnoresLate,
		"shared with its home kept":                    homeKeptWhenShared,
		"release that keeps the home":                  homeKeptByRelease,
		"release without compare-and-swap":             releaseStores,
		"release that leaves what was late":            releaseIgnoresLate,
		"claim without compare-and-swap":               claimStores,
		"claim while the outbox holds something":       claimWhileHeld,
		"a claim of an owned box":                      everyPushOwns,
		"a push to an idle box that does not own it":   idlePushDoesNotOwn,
		"published before all are linked":              publishedBeforeLinked,
		"no stop at what is not published":             takesUnpublished,
		"nodes of one group looked at by themselves":   nodesByThemselves,
		"nodes of one box linked newest first":         linkedNewestFirst,
		"shared without a flush":                       shareWithoutFlush,
		"adopted without a flush":                      adoptWithoutFlush,
		"released without a flush":                     releaseWithoutFlush,
		"told by another way than a message, no flush": tellWithoutFlush,
		"a parcel pushed whose epoch has passed":       pushIgnoresEpoch,
		"the epoch read after the home":                epochAfterHome,
		"shared while senders may push":                sharedUnclosed,
		"released while senders may push":              releasedUnclosed,
		"local push before what came from others":      localPushBeforeRemote,
		"two ways for one box":                         twoWays,
		"no look whether a parcel is published":        parcelTakesUnpublished,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			total := 0
			for _, c := range modelScenarios {
				states, _, wrong := c.explore(fault)
				if total += states; wrong != nil {
					t.Logf("after %d states: %v", total, wrong)
					return
				}
			}
			assert.Fail(t, "not found", "%d states", total)
		})
	}
}
