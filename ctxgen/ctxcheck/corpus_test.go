package ctxcheck

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"
)

// subject is a package that uses the runtime without a fault, to be checked again with one.
type subject struct {
	path    string
	texts   map[string]string // by file name
	imports map[string]*types.Package
}

// subjects are the goldens of generated code with the sources they come from, programs of this module, and the inputs
// that have no fault.
var subjects = sync.OnceValues(loadSubjects)

func loadSubjects() ([]*subject, error) {
	overlay, patterns, err := goldens("../testdata")
	if err != nil {
		return nil, err
	}
	patterns = append(patterns, "../../examples/bank", "../../bench/gcbench", "../../bench/ubench", "../../bench/messages", "../../bench/sleep",
		"./testdata/clean", "./testdata/model")
	cfg := &packages.Config{Mode: packages.LoadSyntax, Overlay: overlay}
	pkgs, err := packages.Load(cfg, patterns...)
	if err != nil {
		return nil, err
	}
	var all []*subject
	for _, p := range pkgs {
		for _, e := range p.Errors {
			return nil, e
		}
		s := &subject{path: p.PkgPath, texts: map[string]string{}, imports: map[string]*types.Package{}}
		for _, i := range p.Types.Imports() {
			s.imports[i.Path()] = i
		}
		for path, i := range p.Imports {
			s.imports[path] = i.Types
		}
		for _, name := range p.CompiledGoFiles {
			text, ok := overlay[name]
			if !ok {
				if text, err = os.ReadFile(name); err != nil {
					return nil, err
				}
			}
			s.texts[name] = string(text)
		}
		all = append(all, s)
	}
	return all, nil
}

// goldens returns the wanted outputs of the generator's test cases as if they had been generated, and their packages.
func goldens(root string) (overlay map[string][]byte, dirs []string, err error) {
	overlay = map[string][]byte{}
	err = filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, "_encore.go") || !strings.Contains(name, string(filepath.Separator)+"want"+string(filepath.Separator)) {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		place, err := filepath.Abs(strings.Replace(name, string(filepath.Separator)+"want"+string(filepath.Separator), string(filepath.Separator), 1))
		if err != nil {
			return err
		}
		overlay[place] = text
		if dir := filepath.Dir(place); !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
		return nil
	})
	return overlay, dirs, err
}

// Import implements types.Importer.
func (s *subject) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if p := s.imports[path]; p != nil {
		return p, nil
	}
	return nil, os.ErrNotExist
}

// check checks the subject with other texts for some of its files. An error is one of the compiler.
func (s *subject) check(changed map[string]string) ([]analysis.Diagnostic, error) {
	fset := token.NewFileSet()
	var files []*ast.File
	for name, text := range s.texts {
		if other, ok := changed[name]; ok {
			text = other
		}
		file, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	slices.SortFunc(files, func(a, b *ast.File) int { return int(a.Pos() - b.Pos()) })
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Instances: map[*ast.Ident]types.Instance{}, Defs: map[*ast.Ident]types.Object{},
		Uses: map[*ast.Ident]types.Object{}, Implicits: map[ast.Node]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
		Scopes: map[ast.Node]*types.Scope{}, FileVersions: map[*ast.File]string{},
	}
	sizes := types.SizesFor("gc", "amd64")
	config := types.Config{Importer: s, Sizes: sizes, GoVersion: "go1.26"}
	pkg, err := config.Check(s.path, fset, files, info)
	if err != nil {
		return nil, err
	}
	var found []analysis.Diagnostic
	check(&analysis.Pass{
		Analyzer: Analyzer, Fset: fset, Files: files, Pkg: pkg, TypesInfo: info, TypesSizes: sizes,
		Report: func(d analysis.Diagnostic) { found = append(found, d) },
	}, false)
	return found, nil
}

// Generated code and what goes with it is clean, and so are the programs of this module.
func TestCleanCorpus(t *testing.T) {
	all, err := subjects()
	require.NoError(t, err)
	require.Greater(t, len(all), 8)
	for _, s := range all {
		found, err := s.check(nil)
		require.NoError(t, err, s.path)
		for _, d := range found {
			assert.Fail(t, "a report in a clean package", "%s: %s", s.path, d.Message)
		}
	}
}
