// Package plain has no annotations of its own, and a type error that is no business of the generator.
package plain

import "github.com/encorert/encorert/ctxgen/testdata/BadObjects/shapes"

var shape = &shapes.Shape{}

var wrong int = "text"
