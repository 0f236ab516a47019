//go:build race && !encorert_invariants

package rttest

const buildTags = "-race"
