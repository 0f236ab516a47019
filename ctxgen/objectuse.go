package ctxgen

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/packages"
)

// useChecker reports what hand-written code does with objects that Go allows
// and their collector does not survive: an object that its constructor has not
// made, a copy of one, a reference stored without the setter or through its
// address. It sees the types of one package and follows no values, so that what
// goes through unsafe, reflect or a type parameter is not found.
type useChecker struct {
	fset  *token.FileSet
	pkg   *types.Package
	info  *types.Info
	unit  *unit // nil: nothing in the package is annotated
	errs  *Errors
	stack []ast.Node // from the file to the node that is visited
	// excused are values that an error on another node covers.
	excused map[ast.Expr]bool
}

// checkUses checks the files of p that overlay does not stand for.
func checkUses(fset *token.FileSet, u *unit, p *packages.Package, overlay map[string][]byte, errs *Errors) {
	c := &useChecker{fset: fset, pkg: p.Types, info: p.TypesInfo, unit: u, errs: errs, excused: map[ast.Expr]bool{}}
	for _, f := range p.Syntax {
		if file := fset.File(f.FileStart); file == nil || overlay[file.Name()] != nil || p.TypesInfo == nil {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if n == nil {
				c.stack = c.stack[:len(c.stack)-1]
				return true
			}
			if !c.visit(n) {
				return false
			}
			c.stack = append(c.stack, n)
			return true
		})
	}
}

func (c *useChecker) add(n ast.Node, format string, args ...any) {
	c.errs.add(c.fset.Position(n.Pos()), format, args...)
}

// visit checks one node, whose parents are on the stack, and reports whether its children are to be visited.
func (c *useChecker) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.TypeSpec:
		return !c.isModelType(n) // its fields are check's
	case *ast.FuncType:
		return !c.isBehaviourType(n) // likewise its parameters
	case *ast.CallExpr:
		if c.isBuiltin(n, "Sizeof", "Alignof", "Offsetof") {
			return false // a type in disguise
		}
		c.conversion(n)
		c.value(n)
	case *ast.Ident:
		if s, ok := c.top().(*ast.SelectorExpr); !ok || s.Sel != n {
			c.mention(n, n)
		}
	case *ast.IndexExpr, *ast.IndexListExpr:
		c.instance(n.(ast.Expr))
	case *ast.CompositeLit:
		c.literal(n)
	case *ast.StarExpr:
		c.value(n)
	case *ast.AssignStmt:
		for i, lhs := range n.Lhs {
			if c.store(lhs); c.excused[ast.Unparen(lhs)] && len(n.Lhs) == len(n.Rhs) {
				c.excused[ast.Unparen(n.Rhs[i])] = true
			}
		}
	case *ast.RangeStmt:
		if n.Tok == token.ASSIGN {
			c.store(n.Key)
			c.store(n.Value)
		}
	case *ast.UnaryExpr:
		if _, ranged := c.parent().(*ast.RangeStmt); n.Op == token.AND && !ranged {
			c.address(n.X)
		}
	case *ast.SliceExpr:
		if _, ok := c.under(n.X).(*types.Array); ok && !c.onlyRead(n) {
			c.address(n.X)
		}
	case *ast.SelectorExpr:
		c.mention(n, n.Sel)
		c.method(n)
	}
	return true
}

// top returns the node directly around the visited one, nil for a file.
func (c *useChecker) top() ast.Node {
	if len(c.stack) == 0 {
		return nil
	}
	return c.stack[len(c.stack)-1]
}

// parent returns the node around the visited one and its parentheses.
func (c *useChecker) parent() ast.Node {
	for _, n := range slices.Backward(c.stack) {
		if _, ok := n.(*ast.ParenExpr); !ok {
			return n
		}
	}
	return nil
}

func (c *useChecker) isModelType(n *ast.TypeSpec) bool {
	if c.unit == nil || len(c.stack) != 2 {
		return false
	}
	t := c.unit.types[n.Name.Name]
	return t != nil && (t.actor != nil || t.object != nil)
}

func (c *useChecker) isBehaviourType(n *ast.FuncType) bool {
	d, ok := c.parent().(*ast.FuncDecl)
	if !ok || d.Recv == nil || len(d.Recv.List) != 1 || c.unit == nil {
		return false
	}
	receiver := embeddedName(d.Recv.List[0].Type)
	return slices.ContainsFunc(c.unit.funcs, func(m *methodDecl) bool {
		return m.behaviour.Name == d.Name.Name && m.actor.actor.Name == receiver
	})
}

// isBuiltin reports whether call is one of the named functions of the language or of unsafe.
func (c *useChecker) isBuiltin(call *ast.CallExpr, names ...string) bool {
	var id *ast.Ident
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		id = f
	case *ast.SelectorExpr:
		id = f.Sel
	default:
		return false
	}
	_, ok := c.info.Uses[id].(*types.Builtin)
	return ok && slices.Contains(names, id.Name)
}

// under returns the underlying type of e; nil if go/types has none.
func (c *useChecker) under(e ast.Expr) types.Type {
	if t := c.info.TypeOf(e); t != nil {
		return t.Underlying()
	}
	return nil
}

// objectOf returns the object type that t is, or nil.
func objectOf(t types.Type) *types.Named {
	if t == nil {
		return nil
	}
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil || roleOf(named) != objectRole {
		return nil
	}
	return named
}

// pointee returns what t points to, or nil.
func pointee(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return nil
}

// name writes an object type as this package does.
func (c *useChecker) name(o *types.Named) string {
	return types.TypeString(o, func(p *types.Package) string {
		if p == c.pkg {
			return ""
		}
		return p.Name()
	})
}

// maker writes the call that makes an o.
func (c *useChecker) maker(o *types.Named) string {
	call := constructorName(&Object{Name: o.Obj().Name()}) + "(ctx, ...)"
	if p := o.Obj().Pkg(); p != c.pkg {
		call = p.Name() + "." + call
	}
	return call
}

func (c *useChecker) made(n ast.Node, o *types.Named) {
	c.add(n, "%s is an object of the actor's heap: make it with %s", c.name(o), c.maker(o))
}

func (c *useChecker) held(n ast.Node, o *types.Named) {
	c.add(n, "%s is an object of the actor's heap and cannot be held by value: use *%[1]s, and make it with %s", c.name(o), c.maker(o))
}

func (c *useChecker) copied(n ast.Node, o *types.Named) {
	c.add(n, "%s is an object of the actor's heap and cannot be copied: use *%[1]s, or make another with %s", c.name(o), c.maker(o))
}

// mention checks the expression e, whose last identifier is id, if it names an object type.
func (c *useChecker) mention(e ast.Expr, id *ast.Ident) {
	name, ok := c.info.Uses[id].(*types.TypeName)
	if !ok {
		return
	}
	o := objectOf(name.Type())
	if o == nil {
		return
	}
	switch parent := c.parent().(type) {
	case *ast.StarExpr, *ast.TypeSpec, *ast.SelectorExpr, *ast.CompositeLit:
		// A pointer type, a type declaration, a method expression; literal looks at the last.
	case *ast.IndexExpr, *ast.IndexListExpr:
		// A type argument: instance looks at what comes of it.
	case *ast.CallExpr:
		if ast.Unparen(parent.Fun) == e {
			c.copied(e, o)
		} else { // new
			c.made(e, o)
		}
	case *ast.TypeAssertExpr, *ast.CaseClause:
		c.copied(e, o)
	case *ast.Field:
		if c.isReceiver(parent) {
			c.add(e, "%s is an object of the actor's heap, and this method would work on a copy: make the receiver *%[1]s", c.name(o))
			return
		}
		c.held(e, o)
	default:
		c.held(e, o)
	}
}

func (c *useChecker) isReceiver(f *ast.Field) bool {
	for _, n := range c.stack {
		if d, ok := n.(*ast.FuncDecl); ok && d.Recv != nil && slices.Contains(d.Recv.List, f) {
			return true
		}
	}
	return false
}

// instance checks a generic type with its arguments.
func (c *useChecker) instance(e ast.Expr) {
	tv := c.info.Types[e]
	if !tv.IsType() {
		return
	}
	if _, ok := c.parent().(*ast.StarExpr); ok {
		return
	}
	if o := heldBy(tv.Type, map[types.Type]bool{}); o != nil {
		c.add(e, "%s holds an object of the actor's heap by value: use *%s", types.TypeString(tv.Type, types.RelativeTo(c.pkg)), c.name(o))
	}
}

// heldBy returns the object type that values of t have in them, or nil.
func heldBy(t types.Type, seen map[types.Type]bool) *types.Named {
	if o := objectOf(t); o != nil || seen[t] {
		return o
	}
	seen[t] = true
	switch u := t.Underlying().(type) {
	case *types.Array:
		return heldBy(u.Elem(), seen)
	case *types.Slice:
		return heldBy(u.Elem(), seen)
	case *types.Map:
		if o := heldBy(u.Key(), seen); o != nil {
			return o
		}
		return heldBy(u.Elem(), seen)
	case *types.Struct:
		for i := range u.NumFields() {
			if o := heldBy(u.Field(i).Type(), seen); o != nil {
				return o
			}
		}
	}
	return nil
}

// literal checks a composite literal, the elided ones of references included.
func (c *useChecker) literal(lit *ast.CompositeLit) {
	t := c.info.TypeOf(lit)
	if lit.Type == nil {
		t = pointee(t) // nil for an elided value, whose type is held by what is around it
	}
	o := objectOf(t)
	if o == nil || c.excused[lit] || c.compared() {
		return
	}
	c.made(lit, o)
}

// compared reports whether the visited value is only compared.
func (c *useChecker) compared() bool {
	b, ok := c.parent().(*ast.BinaryExpr)
	return ok && (b.Op == token.EQL || b.Op == token.NEQ)
}

// value checks an expression that may be a whole object.
func (c *useChecker) value(e ast.Expr) {
	tv := c.info.Types[e]
	o := objectOf(tv.Type)
	if o == nil || !tv.IsValue() || c.excused[e] || c.compared() {
		return
	}
	if call, ok := e.(*ast.CallExpr); ok && c.info.Types[call.Fun].IsType() {
		return // mention's
	}
	switch parent := c.parent().(type) {
	case *ast.SelectorExpr, *ast.ExprStmt:
		return
	case *ast.UnaryExpr:
		if parent.Op == token.AND {
			return
		}
	case *ast.AssignStmt:
		i := slices.IndexFunc(parent.Rhs, func(r ast.Expr) bool { return ast.Unparen(r) == e })
		if id, ok := parent.Lhs[max(i, 0)].(*ast.Ident); ok && id.Name == "_" {
			return // a check for nil
		}
	}
	c.copied(e, o)
}

// conversion checks a pointer that becomes one to an object, or was one.
func (c *useChecker) conversion(call *ast.CallExpr) {
	if len(call.Args) != 1 || !c.info.Types[call.Fun].IsType() {
		return
	}
	to, from := pointee(c.info.TypeOf(call.Fun)), pointee(c.info.TypeOf(call.Args[0]))
	if to == nil || from == nil || types.Identical(to, from) {
		return
	}
	if o := objectOf(to); o != nil {
		c.made(call, o)
	} else if o := objectOf(from); o != nil {
		c.add(call, "%s is an object of the actor's heap: under another type it would be changed without its setters; keep it a *%[1]s", c.name(o))
	}
}

// onlyRead reports whether the visited slice of an array is used at once and not changed.
func (c *useChecker) onlyRead(e ast.Expr) bool {
	switch parent := c.parent().(type) {
	case *ast.RangeStmt:
		return ast.Unparen(parent.X) == e
	case *ast.IndexExpr:
		return true // store looks at it, if it is stored to
	case *ast.CallExpr:
		i := slices.IndexFunc(parent.Args, func(a ast.Expr) bool { return ast.Unparen(a) == e })
		return c.isBuiltin(parent, "len", "cap") || i > 0 && c.isBuiltin(parent, "append", "copy")
	}
	return false
}
