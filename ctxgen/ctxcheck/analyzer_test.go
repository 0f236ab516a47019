package ctxcheck

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/analysis/analysistest"
)

// inputs are the packages in testdata that are about rules; the others they import.
var inputs = []string{"stale", "kept", "frames", "places", "objects", "iso", "clean", "model", "helper"}

const testdata = "./ctxgen/ctxcheck/testdata/"

// The inputs say on each line what is reported there; what says nothing is a near miss.
func TestRules(t *testing.T) {
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	var patterns []string
	for _, name := range inputs {
		patterns = append(patterns, testdata+name)
	}
	require.Len(t, analysistest.Run(t, root, Analyzer, patterns...), len(inputs))
}

func TestFixes(t *testing.T) {
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	require.Len(t, analysistest.RunWithSuggestedFixes(t, root, Analyzer, testdata+"fixed"), 1)
}
