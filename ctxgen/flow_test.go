package ctxgen

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// A bodyMaker builds bodies from choices: a random source's, or a fuzzer's bytes.
type bodyMaker struct {
	choose func(n int) int
	b      *Body
	nodes  []*Expr // variables with heap pointers that are in scope
	tree   *Type
	budget int
	depth  int
	loops  int
}

func (m *bodyMaker) block() {
	nodes := m.nodes
	m.depth++
	for range 1 + m.choose(4) {
		m.statement()
	}
	m.nodes = nodes
	m.depth--
}

var (
	leafFunction = &Function{Name: "leaf", Effect: Leaf}
	flagFunction = &Function{Name: "flag", Effect: Switching, Results: []*Type{Basic("bool")}}
	usesFunction = &Function{Name: "uses"}
)

func (m *bodyMaker) node() *Expr {
	switch k := m.choose(5); {
	case k == 0:
		return Call(&Function{Name: "leaf", Effect: Leaf, Results: []*Type{m.tree}})
	case k == 1:
		return Call(&Function{Name: "change", Effect: Switching, Results: []*Type{m.tree}})
	case k == 2:
		return Select(m.nodes[m.choose(len(m.nodes))], "next", m.tree)
	}
	return m.nodes[m.choose(len(m.nodes))]
}

func (m *bodyMaker) cond() *Expr {
	switch m.choose(4) {
	case 0:
		return Call(flagFunction)
	case 1:
		return Binary("&&", Binary("==", m.node(), m.node()), Call(flagFunction))
	}
	return Binary("==", m.nodes[m.choose(len(m.nodes))], Nil(m.tree))
}

func (m *bodyMaker) statement() {
	if m.budget--; m.budget < 0 {
		return
	}
	b := m.b
	kind := m.choose(10)
	if m.depth > 3 && kind >= 5 && kind <= 8 {
		kind = 2 // deeper blocks are too rarely walked
	}
	switch kind {
	case 0:
		m.nodes = append(slices.Clip(m.nodes), b.Let("n", m.tree, m.node()))
	case 1:
		b.Set(m.nodes[m.choose(len(m.nodes))], m.node())
	case 2:
		b.Do(Call(usesFunction, m.node(), m.node()))
	case 3:
		b.Set(Select(m.nodes[m.choose(len(m.nodes))], "next", m.tree), m.node())
	case 4:
		b.Do(Safepoint())
	case 5, 6:
		b.If(m.cond(), m.block, m.block)
	case 7:
		m.loops++
		b.Loop(m.cond(), func() { b.Do(Call(leafFunction)) }, m.block)
		m.loops--
	case 8:
		b.Switch(Int(Basic("int"), 1), Case{Values: []*Expr{Int(Basic("int"), 2)}, Block: m.block}, Case{Block: m.block})
	case 9:
		switch k := m.choose(6); {
		case k == 0:
			b.Return(m.node())
		case k == 1 && m.loops > 0:
			b.Break()
		case k == 2 && m.loops > 0:
			b.Continue()
		}
	}
}

// makeBody adds a function of random shape.
func makeBody(p *Program, name string, choose func(int) int) *Body {
	return makeBodyOf(p, ObjectPointer("example.com/user", "node"), name, choose)
}

func makeBodyOf(p *Program, tree *Type, name string, choose func(int) int) *Body {
	b := p.Func(Signature{Name: name, Effect: Switching, Params: []Param{{Name: "a", Type: tree}, {Name: "b", Type: tree}}, Results: []*Type{tree}, Pos: posAt(1)})
	m := &bodyMaker{choose: choose, b: b, tree: tree, nodes: []*Expr{b.Param(0), b.Param(1)}, budget: 25}
	m.block()
	b.Return(m.nodes[0])
	return b
}

// A walk executes lowered steps along a random path and notices what must not happen: a context that is read after it
// went stale, a heap pointer that is read after a call that switched and did not hold it. It remembers which loads and
// holds were of use.
type walk struct {
	choose  func(int) int
	fresh   bool
	loaded  any          // the load that made it fresh
	dead    map[int]bool // tracked locals
	held    map[int][]holding
	useful  map[any]bool
	fuel    int
	failure string
}

type holding struct {
	step  *goStep
	index int
}

func (w *walk) use(s *goStep, context bool, reads []int) {
	if context {
		if !w.fresh {
			w.failure = "a stale context in: " + s.text
		}
		w.useful[w.loaded] = true
	}
	for _, r := range reads {
		if w.dead[r] {
			w.failure = fmt.Sprintf("variable %d may have been collected in: %s", r, s.text)
		}
		for _, h := range w.held[r] {
			w.useful[h] = true
		}
	}
}

// steps runs a block and reports how it was left: nil at its end, else the step that left it.
func (w *walk) steps(list []*goStep, tracked int) *goStep {
	for _, s := range list {
		if w.fuel--; w.fuel < 0 || w.failure != "" {
			return &goStep{kind: returnStep}
		}
		if s.text == "ctx := *cctx" {
			w.fresh, w.loaded = true, s
			continue
		}
		if s.kind != loopStep {
			w.use(s, s.context || len(s.hold) > 0, s.reads)
		}
		var left *goStep
		switch s.kind {
		case plainStep, returnStep:
			if s.switches {
				w.fresh = false
				hold := map[int]bool{}
				for _, v := range s.hold {
					hold[v.index] = true
					w.held[v.index] = append(w.held[v.index], holding{s, v.index})
				}
				for i := 1; i <= tracked; i++ {
					w.dead[i] = w.dead[i] || !hold[i]
				}
				if s.reload {
					w.fresh, w.loaded = true, s
				}
			}
			for _, v := range s.writes {
				w.dead[v], w.held[v] = false, nil
			}
			if s.kind == returnStep {
				left = s
			}
		case breakStep, continueStep:
			left = s
		case ifStep, switchStep:
			left = w.steps(s.blocks[w.choose(len(s.blocks))], tracked)
		case loopStep:
			for {
				w.use(s, s.context, s.reads)
				if !s.endless && w.choose(3) == 0 {
					break
				}
				left = w.steps(s.blocks[0], tracked)
				if left != nil && left.loop != s.loop {
					break
				}
				leave := left != nil && left.kind == breakStep
				if left = nil; leave {
					break
				}
			}
			if s.reload {
				w.fresh, w.loaded = true, s
			}
		}
		if left != nil {
			return left
		}
	}
	return nil
}

// checkFlow lowers a body, walks it often, and returns the loads and holds that no walk made use of.
func checkFlow(t *testing.T, p *Program, b *Body, choose func(int) int, walks int) (useless int) {
	var errs Errors
	w := newWriter(p, &errs)
	steps := w.lowered(b, newLocalNames(w))
	require.Empty(t, errs)
	facts := map[any]bool{}
	tracked := 0
	var collect func([]*goStep)
	collect = func(list []*goStep) {
		for _, s := range list {
			if s.reload || s.text == "ctx := *cctx" {
				facts[s] = false
			}
			for _, v := range s.hold {
				facts[holding{s, v.index}] = false
			}
			for _, i := range append(slices.Clone(s.writes), s.reads...) {
				tracked = max(tracked, i)
			}
			for _, block := range s.blocks {
				collect(block)
			}
		}
	}
	collect(steps)
	useful := map[any]bool{}
	for range walks {
		run := &walk{choose: choose, dead: map[int]bool{}, held: map[int][]holding{}, useful: useful, fuel: 400}
		run.steps(steps, tracked)
		require.Empty(t, run.failure)
	}
	for fact := range facts {
		if !useful[fact] {
			useless++
		}
	}
	return useless
}

// Whatever a body looks like, on no path is the context stale or a heap pointer lost, and nearly all loads and holds are
// made use of on some path (some only lie on paths that few walks take).
func TestFlowOnRandomBodies(t *testing.T) {
	rounds, useless := 150, 0
	for seed := range rounds {
		random := rand.New(rand.NewPCG(uint64(seed), 1))
		p := NewProgram(&Package{Path: "example.com/user", Name: "user"})
		b := makeBody(p, "f", random.IntN)
		useless += checkFlow(t, p, b, random.IntN, 1500)
	}
	require.LessOrEqual(t, useless, rounds/10)
}

func FuzzBody(f *testing.F) {
	f.Add([]byte("0123456789abcdefghijklmnop"))
	f.Add([]byte{7, 3, 5, 0, 1, 9, 2, 4, 8, 6, 1, 1, 7, 7, 2, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		random := rand.New(rand.NewPCG(uint64(len(data)), 2))
		choose := func(n int) int {
			if len(data) == 0 {
				return random.IntN(n)
			}
			k := int(data[0]) % n
			data = data[1:]
			return k
		}
		p := NewProgram(&Package{Path: "example.com/user", Name: "user"})
		b := makeBody(p, "f", choose)
		checkFlow(t, p, b, random.IntN, 20)
		_, _, err := p.Emit()
		require.NoError(t, err)
	})
}

// randomProgram has random bodies, and what they call.
func randomProgram() *Program {
	node := &Object{Name: "node"}
	p := NewProgram(&Package{Path: "example.com/user/random", Name: "random", Objects: []*Object{node}})
	tree := p.PointerTo(node)
	node.Fields = []Field{{Name: "next", Type: tree}}
	leaf := p.Func(Signature{Name: "leaf", Effect: Leaf, Results: []*Type{tree}})
	leaf.Return(p.New(node, Nil(tree)))
	change := p.Func(Signature{Name: "change", Effect: Switching, Results: []*Type{tree}})
	change.Do(Safepoint())
	change.Return(p.New(node, Nil(tree)))
	flag := p.Func(Signature{Name: "flag", Effect: Switching, Results: []*Type{Basic("bool")}})
	flag.Do(Safepoint())
	flag.Return(Bool(true))
	p.Func(Signature{Name: "uses", Params: []Param{{Name: "a", Type: tree}, {Name: "b", Type: tree}}})
	for i := range 60 {
		makeBodyOf(p, tree, fmt.Sprint("f", i), rand.New(rand.NewPCG(uint64(i), 3)).IntN)
	}
	return p
}

// What is evaluated before a call that switches is kept, in order.
func TestProgramEvaluatesOperandsInOrder(t *testing.T) {
	p := NewProgram(&Package{Path: "example.com/user", Name: "user"})
	b := p.Func(Signature{Name: "f", Effect: Switching})
	one := &Function{Name: "one", Results: []*Type{Basic("bool")}}
	b.Do(Call(usesFunction, Call(one), Call(flagFunction), Call(one)))
	_, code, err := p.Emit()
	require.NoError(t, err)
	require.Contains(t, string(code), "\tt := one()\n\tt_2 := flag(cctx)\n\tuses(t, t_2, one())\n")
}
