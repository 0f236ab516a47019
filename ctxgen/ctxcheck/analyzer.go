package ctxcheck

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// Analyzer checks one package. It needs no facts of others: by the protocol, a call's parameter types are its effect.
var Analyzer = &analysis.Analyzer{
	Name: "ctxcheck",
	Doc:  doc,
	URL:  "https://" + modulePath + "/blob/main/docs/ctxcheck.md",
	Run:  run,
}

const doc = `check the use of execution contexts and actors' heaps

A context (*rt.Ctx) must be loaded again after a call that takes the context cell (**rt.Ctx); the cell is only passed down;
a pointer into an actor's heap is in a frame across such a call; objects are made by their constructors and changed by
their setters.`

func run(pass *analysis.Pass) (any, error) {
	if concerns(pass.Pkg) {
		check(pass, false)
	}
	return nil, nil
}

// check applies all rules; every says whether also to functions that they cannot concern.
func check(pass *analysis.Pass, every bool) {
	// Debug information tells the names of variables.
	prog := ssa.NewProgram(pass.Fset, ssa.GlobalDebug|ssa.InstantiateGenerics)
	for _, p := range pass.Pkg.Imports() {
		prog.CreatePackage(p, nil, nil, true)
	}
	pkg := prog.CreatePackage(pass.Pkg, pass.Files, pass.TypesInfo, false)
	pkg.Build()
	kinds := new(catalogue)
	report := newReporter(pass)
	var nests []*nest
	for _, outer := range withInstances(declared(pass, prog, pkg)) {
		nests = append(nests, newNest(kinds, outer))
	}
	held := dispatched(nests)
	for _, n := range nests {
		if every || n.concerns() {
			c := &confinement{nest: n, report: report, own: pass.Pkg.Path() == rtPath}
			c.check()
			f := &flow{nest: n, report: report, active: map[*ssa.Function]bool{}, seen: map[*ssa.Function]bool{},
				heldByCaller: held, unwinding: map[*ssa.Defer]*state{}}
			f.follow()
		}
		o := &objects{nest: n, report: report}
		o.check()
	}
	report.ignores.unused(pass)
}

// concerns reports whether the rules can apply to a package: it is the runtime's, or imports it, directly or not.
func concerns(p *types.Package) bool {
	seen := map[*types.Package]bool{}
	var look func(*types.Package) bool
	look = func(p *types.Package) bool {
		if p.Path() == rtPath {
			return true
		}
		if seen[p] {
			return false
		}
		seen[p] = true
		for _, i := range p.Imports() {
			if look(i) {
				return true
			}
		}
		return false
	}
	return look(p)
}

// declared returns the package's functions and methods, and what initialises its variables.
func declared(pass *analysis.Pass, prog *ssa.Program, pkg *ssa.Package) []*ssa.Function {
	var all []*ssa.Function
	if f := pkg.Func("init"); f != nil {
		all = append(all, f)
	}
	for _, file := range pass.Files {
		for _, d := range file.Decls {
			if d, ok := d.(*ast.FuncDecl); ok {
				if o, ok := pass.TypesInfo.Defs[d.Name].(*types.Func); ok {
					if f := prog.FuncValue(o); f != nil {
						all = append(all, f)
					}
				}
			}
		}
	}
	return all
}

// withInstances adds the instances of the package's generic functions, in which a type parameter is known to be a pointer
// into a heap.
func withInstances(funcs []*ssa.Function) []*ssa.Function {
	seen := map[*ssa.Function]bool{}
	for _, f := range funcs {
		seen[f] = true
	}
	for k := 0; k < len(funcs); k++ {
		for _, b := range blocks(funcs[k]) {
			for _, i := range b.Instrs {
				for _, o := range i.Operands(nil) {
					f, ok := (*o).(*ssa.Function)
					if ok && f.Origin() != nil && f.Parent() == nil && len(f.Blocks) > 0 && !seen[f] && !open(f) {
						seen[f] = true
						funcs = append(funcs, f)
					}
				}
			}
		}
	}
	return funcs
}

// blocks returns those of f and of the literals in it.
func blocks(f *ssa.Function) []*ssa.BasicBlock {
	all := f.Blocks
	for _, inner := range f.AnonFuncs {
		all = append(all[:len(all):len(all)], blocks(inner)...)
	}
	return all
}

// open reports whether a type parameter is among the type arguments of f.
func open(f *ssa.Function) bool {
	for _, t := range f.TypeArgs() {
		if hasParameter(t, map[types.Type]bool{}) {
			return true
		}
	}
	return false
}

func hasParameter(t types.Type, seen map[types.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		return true
	case *types.Named:
		for a := range t.TypeArgs().Types() {
			if hasParameter(a, seen) {
				return true
			}
		}
	case interface{ Elem() types.Type }: // pointers, slices, arrays, channels, maps
		return hasParameter(t.Elem(), seen)
	}
	return false
}

// concerns reports whether anything in the nest has a context or a heap pointer in it.
func (n *nest) concerns() bool {
	found := false
	has := func(t types.Type) bool {
		return n.kinds.has(cellKind, t) || n.kinds.has(contextKind, t) || n.kinds.has(heapKind, t)
	}
	for _, f := range n.funcs {
		for _, p := range f.Params {
			found = found || has(p.Type())
		}
	}
	n.each(func(_ *ssa.Function, i ssa.Instruction) {
		if found {
			return
		}
		if v, ok := i.(ssa.Value); ok {
			found = has(v.Type())
			if _, ok := v.(*ssa.Alloc); ok {
				found = found || has(pointee(v.Type()))
			}
		}
		if s, ok := i.(*ssa.Store); ok {
			found = found || has(s.Val.Type())
		}
	})
	return found
}
