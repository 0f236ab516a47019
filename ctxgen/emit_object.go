package ctxgen

import (
	"fmt"

	"github.com/dave/jennifer/jen"
)

// largeObject is the size in bytes, header included, above which an object
// does not go into a block: half a block, as the engine's large-object space says.
const largeObject = 16 << 10

const objectHeader = 8

// objectNames are the identifiers of one object type.
type objectNames struct {
	*Object
	size, typ, header, bits string
	large                   bool
}

// object writes an object type from its marker to its last setter.
func (e *emitter) object(o *Object) {
	private := lowerFirst(o.Name)
	n := &objectNames{Object: o, size: e.names.take(private + "Size"), typ: e.names.take(private + "Type"), header: e.names.take(private + "Header")}
	size, _ := structSize(o.Fields)
	n.large = roundUp(size+objectHeader, 8) > largeObject
	e.marker(n)
	e.descriptor(n)
	e.bits(n, private)
	e.constructor(n)
	for _, f := range o.Fields {
		if f.Name != "_" {
			e.setter(n, f)
		}
	}
}

// marker writes the method by which an object type is known across packages:
//
//	// EncoreObject marks Node as a type whose values live in actors' heaps.
//	func (*Node) EncoreObject() {}
func (e *emitter) marker(n *objectNames) {
	e.file.Comment(fmt.Sprintf("// %s marks %s as a type whose values live in actors' heaps.", markerName, n.Name))
	e.file.Func().Params(jen.Op("*").Id(n.Name)).Id(markerName).Params().Block()
	e.file.Line()
}

// descriptor writes the constants of a type, computed by the compiler for its platform:
//
//	const nodeSize = (gc.HeaderSize + unsafe.Sizeof(Node{}) + 7) &^ 7
//
//	var nodeType = gc.NewType("gcbench.Node", unsafe.Sizeof(Node{}), unsafe.Offsetof(Node{}.left), unsafe.Offsetof(Node{}.right))
//
//	var nodeHeader = nodeType.Header()
func (e *emitter) descriptor(n *objectNames) {
	zero := func() *jen.Statement { return jen.Id(n.Name).Values() }
	size := func() *jen.Statement { return jen.Qual("unsafe", "Sizeof").Call(zero()) }
	args := []jen.Code{jen.Lit(e.pkg.Name + "." + n.Name), size()}
	for _, f := range n.Fields {
		offset := func() *jen.Statement { return jen.Qual("unsafe", "Offsetof").Call(zero().Dot(f.Name)) }
		if f.Name == "_" {
			continue
		}
		switch formOf(f.Type) {
		case pointerForm:
			args = append(args, offset())
		case arrayForm:
			for i := range f.Type.resolve().len {
				args = append(args, offset().Op("+").Lit(int(i)).Op("*").Qual("unsafe", "Sizeof").Call(jen.Uintptr().Call(jen.Lit(0))))
			}
		}
	}
	if !n.large {
		e.file.Const().Id(n.size).Op("=").Parens(jen.Qual(gcPath, "HeaderSize").Op("+").Add(size()).Op("+").Lit(7)).Op("&^").Lit(7)
		e.file.Line()
	}
	e.file.Var().Id(n.typ).Op("=").Qual(gcPath, "NewType").Call(args...)
	e.file.Line()
	if !n.large {
		e.file.Var().Id(n.header).Op("=").Id(n.typ).Dot("Header").Call()
		e.file.Line()
	}
}

// bits writes the type by which a whole object is stored:
//
//	// nodeBits is Node with its pointers as integers: storing it passes Go's write barrier by, which would read what was in the memory before.
//	type nodeBits struct {
//		left, right uintptr
//		I           int32
//	}
//
//	// An error here means that Node has changed: run encorert gen.
//	const _ = -(unsafe.Sizeof(Node{}) ^ unsafe.Sizeof(nodeBits{}))
//
// Without the constant a field that was added later would not be stored, and
// nobody would be told. Objects without heap pointers are stored as they are.
func (e *emitter) bits(n *objectNames, private string) {
	var fields []jen.Code
	pointers := false
	for _, f := range n.Fields {
		switch formOf(f.Type) {
		case scalarForm:
			fields = append(fields, jen.Id(f.Name).Add(e.typ(f.Type)))
		case pointerForm:
			fields = append(fields, jen.Id(f.Name).Uintptr())
			pointers = true
		case arrayForm:
			fields = append(fields, jen.Id(f.Name).Index(jen.Lit(int(f.Type.resolve().len))).Uintptr())
			pointers = true
		}
	}
	if !pointers {
		n.bits = n.Name
		return
	}
	n.bits = e.names.take(private + "Bits")
	doc(e.file.Group, fmt.Sprintf("%s is %s with its pointers as integers: storing it does not run Go's write barrier,\nwhich would read what was in the memory before.", n.bits, n.Name))
	e.file.Type().Id(n.bits).Struct(fields...)
	e.file.Line()
	size := func(name string) jen.Code { return jen.Qual("unsafe", "Sizeof").Call(jen.Id(name).Values()) }
	e.file.Comment(fmt.Sprintf("// An error here means that %s has changed: run encorert gen.", n.Name))
	e.file.Const().Id("_").Op("=").Op("-").Parens(jen.Add(size(n.Name)).Op("^").Add(size(n.bits)))
	e.file.Line()
}

// constructor writes the only way to make an object. It stores every field,
// since the memory is not cleared, and is small enough to be inlined:
//
//	func NewNode(ctx *rt.Ctx, left, right *Node, i int32) *Node {
//		n := gc.Alloc(ctx, nodeSize, nodeHeader, gc.Refill)
//		*(*nodeBits)(n) = nodeBits{uintptr(unsafe.Pointer(left)), uintptr(unsafe.Pointer(right)), i}
//		return (*Node)(n)
//	}
func (e *emitter) constructor(n *objectNames) {
	types := []*Type{Named(e.pkg.Path, n.Name, nil)}
	for _, f := range n.Fields {
		types = append(types, f.Type)
	}
	locals := e.locals(types...)
	var names []string
	for _, f := range n.Fields {
		name := ""
		if f.Name != "_" {
			name = locals.take(lowerFirst(f.Name))
		}
		names = append(names, name)
	}
	ctx, object := locals.take("ctx"), locals.take("n")
	params := []jen.Code{jen.Id(ctx).Add(contextPointer())}
	var values []jen.Code
	for i, f := range n.Fields {
		if f.Name == "_" {
			continue
		}
		params = append(params, jen.Id(names[i]).Add(e.typ(f.Type)))
		values = append(values, jen.Id(f.Name).Op(":").Add(bitsOf(f.Type, names[i])))
	}
	alloc := jen.Qual(gcPath, "Alloc").Call(jen.Id(ctx), jen.Id(n.size), jen.Id(n.header), jen.Qual(gcPath, "Refill"))
	if n.large {
		alloc = jen.Qual(gcPath, "AllocLarge").Call(jen.Id(ctx), jen.Id(n.typ))
	}
	doc(e.file.Group, fmt.Sprintf("%s makes a %s in the running actor's heap. A leaf: it never parks and never collects.", constructorName(n.Object), n.Name), n.Doc)
	e.file.Func().Id(constructorName(n.Object)).Params(params...).Op("*").Id(n.Name).Block(
		jen.Id(object).Op(":=").Add(alloc),
		jen.Op("*").Parens(jen.Op("*").Id(n.bits)).Call(jen.Id(object)).Op("=").Id(n.bits).Values(values...),
		jen.Return(jen.Parens(jen.Op("*").Id(n.Name)).Call(jen.Id(object))),
	)
	e.file.Line()
}

// bitsOf writes the value of a field as bits hold it.
func bitsOf(t *Type, x string) jen.Code {
	switch formOf(t) {
	case pointerForm:
		return jen.Uintptr().Call(address(t, x))
	case arrayForm:
		return jen.Op("*").Parens(jen.Op("*").Index(jen.Lit(int(t.resolve().len))).Uintptr()).Call(pointer(jen.Op("&").Id(x)))
	}
	return jen.Id(x)
}

// address writes a heap pointer as an unsafe.Pointer.
func address(t *Type, x string) jen.Code {
	if t.has(heapRole) {
		return jen.Id(x).Dot("Root").Call()
	}
	return pointer(jen.Id(x))
}

// setter writes the only way to change a heap pointer of an object:
//
//	func (n *Node) setLeft(ctx *rt.Ctx, v *Node) {
//		gc.Barrier(ctx, unsafe.Pointer(n), unsafe.Pointer(v))
//		*(*uintptr)(unsafe.Pointer(&n.left)) = uintptr(unsafe.Pointer(v))
//	}
//
//	func (n *Node) setChildren(ctx *rt.Ctx, i int, v *Node) {
//		gc.Barrier(ctx, unsafe.Pointer(n), unsafe.Pointer(v))
//		*(*uintptr)(unsafe.Pointer(&n.children[i])) = uintptr(unsafe.Pointer(v))
//	}
func (e *emitter) setter(n *objectNames, f Field) {
	form := formOf(f.Type)
	if form == scalarForm {
		return
	}
	locals := e.locals()
	ctx, object, value, index := locals.take("ctx"), locals.take("n"), locals.take("v"), locals.take("i")
	params := []jen.Code{jen.Id(ctx).Add(contextPointer())}
	t, field := f.Type, jen.Id(object).Dot(f.Name)
	what := f.Name
	if form == arrayForm {
		t = t.resolve().elem
		field.Index(jen.Id(index))
		params = append(params, jen.Id(index).Int())
		what += "[" + index + "]"
	}
	params = append(params, jen.Id(value).Add(e.typ(t)))
	doc(e.file.Group, fmt.Sprintf("%s stores %s. A leaf: it never parks and never collects.", setterName(f.Name), what))
	e.file.Func().Params(jen.Id(object).Op("*").Id(n.Name)).Id(setterName(f.Name)).Params(params...).Block(
		jen.Qual(gcPath, "Barrier").Call(jen.Id(ctx), pointer(jen.Id(object)), address(t, value)),
		jen.Op("*").Parens(jen.Op("*").Uintptr()).Call(pointer(jen.Op("&").Add(field))).Op("=").Uintptr().Call(address(t, value)),
	)
	e.file.Line()
}
