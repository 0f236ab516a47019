package rttest_test

import (
	"fmt"
	"testing"

	"github.com/encorert/encorert/rt"
	"github.com/encorert/encorert/rt/rttest"
)

// TestOrder would be in a file of tests: whoever of the two comes first, it is heard first, under each of 200 seeds.
func ExampleSeeds() {
	firsts := map[string]int{}
	TestOrder := func(t testing.TB) {
		rttest.Seeds(t, 200, rt.Config{Workers: 2}, func(t testing.TB, r *rt.Runtime) {
			var heard []string
			err := r.Run(func(cctx **rt.Ctx) {
				ctx := *cctx
				judge := spawn(ctx)
				for _, name := range []string{"hare", "tortoise"} {
					spawn(ctx).do(ctx, func(cctx **rt.Ctx) {
						judge.do(*cctx, func(**rt.Ctx) { heard = append(heard, name) })
					})
				}
			})
			if err != nil || len(heard) != 2 {
				t.Fatal(err, heard)
			}
			firsts[heard[0]]++
		})
	}
	TestOrder(exampleT)
	fmt.Println(firsts["hare"] > 20, firsts["tortoise"] > 20)
	// Output: true true
}

// exampleT stands for the t that go test hands out.
var exampleT = &outer{name: "TestOrder"}
