// Package rand has the name of two other packages.
package rand

// Seed is a type with a common name.
type Seed struct{ A, B int64 }
