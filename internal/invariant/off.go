//go:build !race && !encorert_invariants

package invariant

// Enabled turns the checks off in ordinary builds; code under `if invariant.Enabled` is compiled away.
const Enabled = false
