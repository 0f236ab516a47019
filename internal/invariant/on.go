//go:build race || encorert_invariants

package invariant

// Enabled turns the checks on: in race builds and with -tags encorert_invariants.
const Enabled = true
