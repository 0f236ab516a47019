//go:build encorert_invariants

package rttest

const buildTags = "-tags encorert_invariants"
