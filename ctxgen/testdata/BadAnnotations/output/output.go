// Package output has a hand-written file where the output goes.
package output

//encore:actor
type a struct{}
