package ctxcheck

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkStatements checks one function of 10,000 statements: contexts loaded again and again, objects in frames,
// branches and loops, as a compiler might emit it. The bound of what is bearable is go vet's own second or two.
func BenchmarkStatements(b *testing.B) {
	all, err := subjects()
	require.NoError(b, err)
	var s subject
	for _, one := range all {
		if strings.HasSuffix(one.path, "/testdata/clean") {
			s = *one
		}
	}
	var out strings.Builder
	out.WriteString(`package big

import (
	"github.com/encorert/encorert/ctxgen/ctxcheck/testdata/helper"
	"github.com/encorert/encorert/ctxgen/ctxcheck/testdata/model"
	"github.com/encorert/encorert/gc"
	"github.com/encorert/encorert/rt"
)

func f(cctx **rt.Ctx) {
	ctx := *cctx
`)
	for i := range 1_000 {
		fmt.Fprintf(&out, `	n%[1]d := model.NewNode(ctx, nil, nil, %[1]d)
	f%[1]d := gc.Push(ctx, n%[1]d)
	if helper.Wait(cctx) > %[1]d {
		for n%[1]d.I > 0 {
			helper.Wait(cctx)
			n%[1]d.I--
		}
	}
	ctx = *cctx
	f%[1]d.Pop(ctx)
	n%[1]d.SetLeft(ctx, nil)
`, i)
	}
	out.WriteString("}\n")
	s.texts = map[string]string{"big.go": out.String()}
	for b.Loop() {
		found, err := s.check(nil)
		require.NoError(b, err)
		require.Empty(b, found)
	}
}
