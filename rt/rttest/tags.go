//go:build !race && !encorert_invariants

package rttest

// buildTags are the flags of go test that a seed of this build needs.
const buildTags = ""
