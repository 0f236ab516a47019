// Package broken is a dependency that does not type-check.
package broken

// B is a type.
type B struct{}

func broken() int { return "text" }
