// Package box has generic types.
package box

// Box holds anything.
type Box[T any] struct{ Value T }

// Of is another name of Box.
type Of[T any] = Box[T]

// Seq is an interface with type parameters.
type Seq[T any] interface{ Each(func(T)) }

type hidden struct{ N int }

// Shown is a hidden type.
type Shown = hidden
