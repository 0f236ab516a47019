package ctxgen

import "go/ast"

// Where annotations stand, and where they should.

// annotationOf reads the annotation in a doc comment.
func (s *annotationScanner) annotationOf(doc *ast.CommentGroup) (annotation, *ast.Comment) {
	if doc == nil {
		return "", nil
	}
	var found annotation
	var at *ast.Comment
	for _, c := range doc.List {
		a, err := parseAnnotation(c.Text)
		if err != nil || a == "" {
			continue // strays reports errors
		}
		s.used[c] = true
		if found != "" {
			s.errs.add(s.pos(c), "second annotation on one declaration: remove %s%s or %s%s", annotationPrefix, found, annotationPrefix, a)
			continue
		}
		found, at = a, c
	}
	return found, at
}

// malformed reports whether doc has an annotation that strays reports as wrongly written.
func malformed(doc *ast.CommentGroup) bool {
	if doc == nil {
		return false
	}
	for _, c := range doc.List {
		if _, err := parseAnnotation(c.Text); err != nil {
			return true
		}
	}
	return false
}

// strays reports every annotation that is malformed or on no declaration that could carry it.
func (s *annotationScanner) strays(f *sourceFile) {
	for _, group := range f.syntax.Comments {
		for _, c := range group.List {
			a, err := parseAnnotation(c.Text)
			if err != nil {
				s.errs.add(s.pos(c), "%v", err)
			} else if a != "" && !s.used[c] {
				s.errs.add(s.pos(c), "%s%s is on no type or method: put it directly above the declaration, one type per declaration", annotationPrefix, a)
			}
		}
	}
}

// misspelt reports what stands where an annotation would and looks like one.
func (s *annotationScanner) misspelt(d ast.Decl) {
	var docs []*ast.CommentGroup
	switch d := d.(type) {
	case *ast.FuncDecl:
		docs = append(docs, d.Doc)
	case *ast.GenDecl:
		docs = append(docs, d.Doc)
		for _, spec := range d.Specs {
			if t, ok := spec.(*ast.TypeSpec); ok {
				docs = append(docs, t.Doc)
			}
		}
	}
	for _, doc := range docs {
		if doc == nil {
			continue
		}
		for _, c := range doc.List {
			if a, err := parseAnnotation(c.Text); a != "" || err != nil {
				continue // taken up, or strays'
			}
			if err := nearAnnotation(c.Text); err != nil {
				s.errs.add(s.pos(c), "%v", err)
			}
		}
	}
}
