package ctxgen

import (
	"encoding/json"
	"fmt"
	"go/token"
)

// Position is a place in the compiler's source.
type Position = token.Position

// An Interface is what other packages need to know of a package in order to use it: no bodies, no source.
type Interface struct {
	Package   *Package
	Functions []*Function
}

// Function returns the exported function or method of that name; nil if there is none.
func (i *Interface) Function(name string) *Function {
	for _, f := range i.Functions {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// exportVersion is that of the format; Import reads no other.
const exportVersion = 1

// exported is the format: types are in a table and refer to each other by index, since they may be recursive. Index 0 is
// no type.
type exported struct {
	Version   int
	Path      string
	Name      string
	Types     []exportedType
	Objects   []exportedObject   `json:",omitempty"`
	Actors    []exportedActor    `json:",omitempty"`
	Functions []exportedFunction `json:",omitempty"`
}

type exportedType struct {
	Kind   kind
	Role   role            `json:",omitempty"`
	Path   string          `json:",omitempty"`
	Name   string          `json:",omitempty"`
	Args   []int           `json:",omitempty"`
	Key    int             `json:",omitempty"`
	Elem   int             `json:",omitempty"`
	Len    int64           `json:",omitempty"`
	Fields []exportedField `json:",omitempty"`
	Under  int             `json:",omitempty"`
	Parts  []exportedPart  `json:",omitempty"`
}

type exportedPart struct {
	Text string `json:",omitempty"`
	Type int    `json:",omitempty"`
}

type exportedField struct {
	Name     string
	Type     int
	Embedded bool   `json:",omitempty"`
	Tag      string `json:",omitempty"`
	Mode     Mode   `json:",omitempty"` // of a parameter
	Variadic bool   `json:",omitempty"` // of a parameter
}

type exportedObject struct {
	Name, Doc string
	Fields    []exportedField
}

type exportedActor struct {
	Name, Handle, Doc string
	New               *exportedBehaviour `json:",omitempty"`
	Behaviours        []exportedBehaviour
}

type exportedBehaviour struct {
	Name, Doc  string
	Params     []exportedField
	Result     int
	ResultMode Mode
	Err        bool
}

type exportedFunction struct {
	Name    string
	Method  bool
	Effect  Effect
	Params  []exportedField
	Results []int
}

// Export writes what other packages need to know of this one. The functions of the program that Func made are among it,
// but for main; actors' states and bodies are not. Import reads it.
func (p *Program) Export() ([]byte, error) {
	x := &exporter{index: map[*Type]int{}, out: exported{Version: exportVersion, Path: p.Path, Name: p.Name, Types: make([]exportedType, 1)}}
	for _, o := range p.Objects {
		x.out.Objects = append(x.out.Objects, exportedObject{o.Name, o.Doc, x.fields(o.Fields)})
	}
	for _, a := range p.Actors {
		out := exportedActor{Name: a.Name, Handle: a.Handle, Doc: a.Doc}
		if a.New != nil {
			b := x.behaviour(a.New)
			out.New = &b
		}
		for _, b := range a.Behaviours {
			out.Behaviours = append(out.Behaviours, x.behaviour(b))
		}
		x.out.Actors = append(x.out.Actors, out)
	}
	for _, b := range p.funcs {
		if b.main {
			continue
		}
		f := b.fn
		out := exportedFunction{Name: f.Name, Method: f.Method, Effect: f.Effect, Params: x.params(f.Params)}
		for _, r := range f.Results {
			out.Results = append(out.Results, x.typ(r))
		}
		x.out.Functions = append(x.out.Functions, out)
	}
	return json.MarshalIndent(x.out, "", " ")
}

type exporter struct {
	out   exported
	index map[*Type]int
}

func (x *exporter) typ(t *Type) int {
	if t == nil {
		return 0
	}
	if i, ok := x.index[t]; ok {
		return i
	}
	i := len(x.out.Types)
	x.index[t] = i
	x.out.Types = append(x.out.Types, exportedType{})
	out := exportedType{Kind: t.kind, Role: t.role, Path: t.path, Name: t.name, Key: x.typ(t.key), Elem: x.typ(t.elem), Len: t.len, Fields: x.fields(t.fields)}
	for _, a := range t.args {
		out.Args = append(out.Args, x.typ(a))
	}
	if t.under != nil {
		out.Under = x.typ(t.under())
	}
	for _, p := range t.parts {
		if text, ok := p.(string); ok {
			out.Parts = append(out.Parts, exportedPart{Text: text})
		} else {
			out.Parts = append(out.Parts, exportedPart{Type: x.typ(p.(*Type))})
		}
	}
	x.out.Types[i] = out
	return i
}

func (x *exporter) fields(fields []Field) (out []exportedField) {
	for _, f := range fields {
		out = append(out, exportedField{Name: f.Name, Type: x.typ(f.Type), Embedded: f.Embedded, Tag: f.Tag})
	}
	return out
}

func (x *exporter) params(params []Param) (out []exportedField) {
	for _, p := range params {
		out = append(out, exportedField{Name: p.Name, Type: x.typ(p.Type), Mode: p.Mode, Variadic: p.Variadic})
	}
	return out
}

func (x *exporter) behaviour(b *Behaviour) exportedBehaviour {
	return exportedBehaviour{b.Name, b.Doc, x.params(b.Params), x.typ(b.Result), b.ResultMode, b.Err}
}

// Import reads what Export wrote. What it returns is to be used, not to be emitted again.
func Import(data []byte) (*Interface, error) {
	var in exported
	if err := json.Unmarshal(data, &in); err != nil {
		return nil, fmt.Errorf("ctxgen: import: %w", err)
	}
	if in.Version != exportVersion {
		return nil, fmt.Errorf("ctxgen: import: format %d, want %d: compile the package again", in.Version, exportVersion)
	}
	m := &importer{in: &in, types: make([]*Type, len(in.Types))}
	for i := range m.types {
		m.types[i] = &Type{}
	}
	for i := 1; i < len(in.Types); i++ {
		m.fill(i)
	}
	out := &Interface{Package: &Package{Path: in.Path, Name: in.Name}}
	for _, o := range in.Objects {
		out.Package.Objects = append(out.Package.Objects, &Object{Name: o.Name, Doc: o.Doc, Fields: m.fields(o.Fields)})
	}
	for _, a := range in.Actors {
		actor := &Actor{Name: a.Name, Handle: a.Handle, Doc: a.Doc}
		if a.New != nil {
			actor.New = m.behaviour(*a.New)
		}
		for _, b := range a.Behaviours {
			actor.Behaviours = append(actor.Behaviours, m.behaviour(b))
		}
		out.Package.Actors = append(out.Package.Actors, actor)
	}
	for _, f := range in.Functions {
		if f.Effect > Blocking {
			m.fault = true
		}
		fn := &Function{Path: in.Path, Name: f.Name, Method: f.Method, Effect: f.Effect, Params: m.params(f.Params)}
		for _, r := range f.Results {
			fn.Results = append(fn.Results, m.typ(r))
		}
		out.Functions = append(out.Functions, fn)
	}
	for i := range in.Types { // a name stands for itself in no number of steps
		for at, steps := i, 0; !m.fault && in.Types[at].Under != 0; at, steps = in.Types[at].Under, steps+1 {
			m.fault = steps > len(in.Types)
		}
	}
	if m.fault {
		return nil, fmt.Errorf("ctxgen: import: the description of package %q is damaged", in.Path)
	}
	return out, nil
}

type importer struct {
	in    *exported
	types []*Type
	fault bool
}

func (m *importer) typ(i int) *Type {
	if i < 0 || i >= len(m.types) {
		m.fault = true
		return nil
	}
	if i == 0 {
		return nil
	}
	return m.types[i]
}

func (m *importer) fill(i int) {
	t, in := m.types[i], m.in.Types[i]
	t.kind, t.role, t.path, t.name, t.len = in.Kind, in.Role, in.Path, in.Name, in.Len
	t.key, t.elem, t.fields = m.typ(in.Key), m.typ(in.Elem), m.fields(in.Fields)
	for _, a := range in.Args {
		t.args = append(t.args, m.typ(a))
	}
	if in.Under != 0 {
		under := m.typ(in.Under)
		t.under = func() *Type { return under }
	}
	for _, p := range in.Parts {
		if p.Type != 0 {
			t.parts = append(t.parts, m.typ(p.Type))
		} else {
			t.parts = append(t.parts, p.Text)
		}
	}
	needsElem := t.kind == pointerKind || t.kind == sliceKind || t.kind == arrayKind || t.kind == chanKind || t.kind == mapKind
	if t.kind > rawKind || t.role > contextRole || needsElem && t.elem == nil || t.kind == mapKind && t.key == nil {
		m.fault = true
	}
	for _, f := range t.fields {
		m.fault = m.fault || f.Type == nil
	}
}

func (m *importer) fields(fields []exportedField) (out []Field) {
	for _, f := range fields {
		out = append(out, Field{Name: f.Name, Type: m.typ(f.Type), Embedded: f.Embedded, Tag: f.Tag})
	}
	return out
}

func (m *importer) params(params []exportedField) (out []Param) {
	for _, p := range params {
		out = append(out, Param{Name: p.Name, Type: m.typ(p.Type), Mode: p.Mode, Variadic: p.Variadic})
		m.fault = m.fault || p.Type == 0
	}
	return out
}

func (m *importer) behaviour(b exportedBehaviour) *Behaviour {
	return &Behaviour{Name: b.Name, Doc: b.Doc, Params: m.params(b.Params), Result: m.typ(b.Result), ResultMode: b.ResultMode, Err: b.Err}
}
