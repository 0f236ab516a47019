// Package invariant switches checks of the runtime's own invariants on and off at compile time.
// Build tags: `race` and `encorert_invariants` set Enabled; nothing else changes with them.
package invariant
