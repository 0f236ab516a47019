// Package rttest is for tests of programs that use package rt: it runs a scenario under many schedules, each of which
// follows from a seed, says which one fails, and runs that one again.
//
//	func TestTransfer(t *testing.T) {
//		rttest.Seeds(t, 1000, rt.Config{}, func(t testing.TB, r *rt.Runtime) {
//			var total int64
//			err := r.Run(func(cctx **rt.Ctx) { ... })
//			...
//		})
//	}
//
// A test that fails names its seed; the same order again, with every turn in the log:
//
//	ENCORERT_SEED=17 go test -run '^TestTransfer$' .
//
// What a scenario must keep to, so that a seed means the same each time: no goroutines of its own that call the
// runtime, no real time, no order of a Go map, random numbers only from ctx.Rand. One Run or Do after the other is fine. See
// rt.Config.Seed for what the mode does. With -tags encorert_invariants (or -race) there are many more schedules, with
// switches inside of the runtime's own protocols; a seed belongs to the build that it was found with.
package rttest
