// Package predeclared hides names of the language.
package predeclared

type uint64 float32

func len() {}

//encore:actor
type a struct{}
