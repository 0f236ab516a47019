package ctxcheck

import (
	"fmt"
	"math/rand/v2"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/internal/hammer"
)

// Random programs, with an interpreter that tries all their ways: the checker reports a program exactly if there is a way
// on which a stale context, or an object that was freed, is used.

// node is a statement of a random program.
type node struct {
	op   string
	a, b int // variables
	body []*node
	els  []*node
}

// variables of each program: contexts, and objects.
const variables = 3

type maker struct {
	*rand.Rand
	objects bool // about objects, otherwise about contexts
	copies  bool // variables are assigned to others
	budget  int
}

// block makes statements; inLoop allows break and continue, jumps return.
func (m *maker) block(depth int, inLoop, jumps bool) (list []*node) {
	for range 1 + m.IntN(4) {
		list = append(list, m.statement(depth, inLoop, jumps))
		switch list[len(list)-1].op {
		case "break", "continue", "return":
			return list
		}
	}
	return list
}

func (m *maker) statement(depth int, inLoop, jumps bool) *node {
	m.budget--
	n := &node{a: m.IntN(variables), b: m.IntN(variables)}
	if depth == 0 || m.budget < 0 || m.IntN(10) < 6 {
		switch k := m.IntN(20); {
		case k < 5:
			n.op = "new"
		case k < 7 && m.copies:
			n.op = "copy"
		case k < 12:
			n.op = "use"
		case k < 17:
			n.op = "wait"
		case k == 17 && inLoop && jumps:
			n.op = "break"
		case k == 18 && inLoop && jumps:
			n.op = "continue"
		case k == 19 && jumps:
			n.op = "return"
		default:
			n.op = "wait"
		}
		return n
	}
	switch k := m.IntN(8); {
	case k < 2:
		n.op = "if"
		n.body = m.block(depth-1, inLoop, jumps)
		if m.IntN(2) == 0 {
			n.els = m.block(depth-1, inLoop, jumps)
		}
	case k == 2:
		n.op = "for"
		n.body = m.block(depth-1, true, jumps)
	case k == 3:
		n.op = "range"
		n.body = m.block(depth-1, true, jumps)
	case k == 4:
		n.op = "call" // of a literal
		n.body = m.block(depth-1, false, true)
	case k == 5:
		n.op = "each" // a literal that is passed
		n.body = m.block(depth-1, false, true)
	case m.objects:
		n.op = "frame"
		n.body = m.block(depth-1, false, false)
	default:
		n.op = "call"
		n.body = m.block(depth-1, false, true)
	}
	return n
}

// source writes statements as Go. literal says what a return in them returns.
func (m *maker) source(out *strings.Builder, list []*node, indent, result string, frames *int) {
	for _, n := range list {
		line := func(format string, args ...any) { fmt.Fprintf(out, indent+format+"\n", args...) }
		inner := func(body []*node, result string) { m.source(out, body, indent+"\t", result, frames) }
		switch n.op {
		case "new":
			if m.objects {
				line("v%d = model.NewNode(*cctx, nil, nil, 1)", n.a)
			} else {
				line("v%d = *cctx", n.a)
			}
		case "copy":
			line("v%d = v%d", n.a, n.b)
		case "use":
			if m.objects {
				line("v%d.I++", n.a)
			} else {
				line("helper.Leaf(v%d)", n.a)
			}
		case "wait":
			line("helper.Wait(cctx)")
		case "break", "continue":
			line(n.op)
		case "return":
			line("return%s", result)
		case "if":
			line("if cond() {")
			inner(n.body, result)
			if n.els != nil {
				line("} else {")
				inner(n.els, result)
			}
			line("}")
		case "for":
			line("for cond() {")
			inner(n.body, result)
			line("}")
		case "range":
			line("for range helper.Numbers(3) {")
			inner(n.body, result)
			line("}")
		case "call":
			line("func() {")
			inner(n.body, "")
			line("}()")
		case "each":
			line("helper.Each(func(int) bool {")
			inner(n.body, " cond()")
			line("\treturn cond()")
			line("})")
		case "frame":
			*frames++
			name := fmt.Sprintf("f%d", *frames)
			line("%s := gc.Push(*cctx, v%d)", name, n.a)
			inner(n.body, result)
			line("%s.Pop(*cctx)", name)
		}
	}
}

// program writes the whole of it.
func (m *maker) program(list []*node) string {
	var out strings.Builder
	out.WriteString(`package random

import (
	"github.com/encorert/encorert/ctxgen/ctxcheck/testdata/helper"
	"github.com/encorert/encorert/ctxgen/ctxcheck/testdata/model"
	"github.com/encorert/encorert/gc"
	"github.com/encorert/encorert/rt"
)

var (
	_ = helper.Wait
	_ = model.NewNode
	_ gc.Frame
)

func cond() bool

func f(cctx **rt.Ctx) {
`)
	for v := range variables {
		if m.objects {
			fmt.Fprintf(&out, "\tv%d := model.NewNode(*cctx, nil, nil, 0)\n", v)
		} else {
			fmt.Fprintf(&out, "\tv%d := *cctx\n", v)
		}
	}
	out.WriteString("\t_, _, _ = v0, v1, v2\n")
	frames := 0
	m.source(&out, list, "\t", "", &frames)
	out.WriteString("}\n")
	return out.String()
}

// world is one state of a run: what each variable refers to, and of each of those things whether it is gone, and which
// frames hold it.
type world struct {
	refers [variables]int
	gone   [variables]bool
	frames [variables]uint
}

// canonical numbers the things in order of the variables, so that equal states are equal.
func (w world) canonical() world {
	var c world
	names := map[int]int{}
	for v, thing := range w.refers {
		name, ok := names[thing]
		if !ok {
			name = len(names)
			names[thing] = name
			c.gone[name], c.frames[name] = w.gone[thing], w.frames[thing]
		}
		c.refers[v] = name
	}
	return c
}

// free returns a thing that no variable but v refers to.
func (w world) free(v int) int {
	for thing := range variables {
		used := false
		for other, t := range w.refers {
			used = used || other != v && t == thing
		}
		if !used {
			return thing
		}
	}
	panic("more things than variables")
}

type worlds map[world]bool

func (w worlds) add(o worlds) (more bool) {
	for s := range o {
		if !w[s] {
			w[s], more = true, true
		}
	}
	return more
}

// ends are the states in which statements end, by how.
type ends struct{ normal, broken, continued, returned worlds }

func newEnds() ends { return ends{worlds{}, worlds{}, worlds{}, worlds{}} }

// interpreter runs a program on all its ways at once.
type interpreter struct {
	fault bool
	depth uint // of frames
}

func (i *interpreter) block(list []*node, in worlds) ends {
	all := newEnds()
	now := in
	for _, n := range list {
		e := i.statement(n, now)
		all.broken.add(e.broken)
		all.continued.add(e.continued)
		all.returned.add(e.returned)
		now = e.normal
	}
	all.normal.add(now)
	return all
}

// each changes every state by itself.
func each(in worlds, change func(w *world)) ends {
	e := newEnds()
	for w := range in {
		change(&w)
		e.normal[w.canonical()] = true
	}
	return e
}

func (i *interpreter) statement(n *node, in worlds) ends {
	e := newEnds()
	switch n.op {
	case "new":
		return each(in, func(w *world) {
			thing := w.free(n.a)
			w.refers[n.a], w.gone[thing], w.frames[thing] = thing, false, 0
		})
	case "copy":
		return each(in, func(w *world) { w.refers[n.a] = w.refers[n.b] })
	case "use":
		return each(in, func(w *world) { i.fault = i.fault || w.gone[w.refers[n.a]] })
	case "wait":
		return each(in, func(w *world) {
			for thing := range variables {
				if w.frames[thing] == 0 {
					w.gone[thing] = true
				}
			}
		})
	case "break":
		e.broken.add(in)
	case "continue":
		e.continued.add(in)
	case "return":
		e.returned.add(in)
	case "if":
		e = i.block(n.body, in)
		o := i.block(n.els, in)
		e.normal.add(o.normal)
		e.broken.add(o.broken)
		e.continued.add(o.continued)
		e.returned.add(o.returned)
	case "for", "range":
		e.normal.add(in)
		for {
			o := i.block(n.body, e.normal)
			e.returned.add(o.returned)
			more := e.normal.add(o.normal)
			more = e.normal.add(o.continued) || more
			// A state that breaks is one after the loop, and no round follows it: but it is reached only from states before
			// the loop's condition, where the loop may end as well.
			e.broken.add(o.broken)
			if !more {
				break
			}
		}
		e.normal.add(e.broken)
		e.broken = worlds{}
	case "call":
		o := i.block(n.body, in)
		e.normal.add(o.normal)
		e.normal.add(o.returned)
	case "each":
		e.normal.add(in)
		for {
			o := i.block(n.body, e.normal)
			more := e.normal.add(o.normal)
			if more = e.normal.add(o.returned) || more; !more {
				break
			}
		}
	case "frame":
		mask := uint(1) << i.depth
		i.depth++
		held := each(in, func(w *world) { w.frames[w.refers[n.a]] |= mask })
		// To push what is gone is a use.
		for w := range in {
			i.fault = i.fault || w.gone[w.refers[n.a]]
		}
		o := i.block(n.body, held.normal)
		i.depth--
		e = each(o.normal, func(w *world) {
			for thing := range variables {
				w.frames[thing] &^= mask
			}
		})
	}
	return e
}

func TestRandomPrograms(t *testing.T) {
	all, err := subjects()
	require.NoError(t, err)
	var s subject
	for _, one := range all {
		if strings.HasSuffix(one.path, "/testdata/clean") {
			s = *one
		}
	}
	require.NotEmpty(t, s.imports)
	verdicts := map[string]int{}
	for _, objects := range []bool{false, true} {
		for seed := range hammer.Rounds(80, 20_000) {
			m := &maker{Rand: rand.New(rand.NewPCG(uint64(seed), 6)), objects: objects, copies: !objects || seed%2 == 0, budget: 12}
			list := m.block(3, false, true)
			text := m.program(list)
			i := &interpreter{}
			i.block(list, worlds{world{refers: [variables]int{0, 1, 2}}: true})
			s.texts = map[string]string{"random.go": text}
			found, err := s.check(nil)
			require.NoError(t, err, text)
			verdicts[fmt.Sprintf("objects %t, fault %t", objects, i.fault)]++
			if !i.fault && objects && m.copies {
				continue // a frame that holds one variable is not known to hold another that is equal
			}
			if !assert.Equal(t, i.fault, len(found) > 0, "seed %d, objects %t: the interpreter finds a fault: %t\n%v\n%s", seed, objects, i.fault, found, text) {
				return
			}
		}
	}
	var lines []string
	for v, n := range verdicts {
		lines = append(lines, fmt.Sprintf("%s: %d", v, n))
		assert.Greater(t, n, 10, v)
	}
	sort.Strings(lines)
	t.Log(strings.Join(lines, "; "))
}
