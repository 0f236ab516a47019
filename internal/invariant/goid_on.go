//go:build race || encorert_invariants

package invariant

import "github.com/petermattis/goid"

// Goroutine identifies the calling goroutine, so that a leaf can tell whose context it was given. 0 in ordinary builds.
func Goroutine() int64 { return goid.Get() }
