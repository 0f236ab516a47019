package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// result is a file of package compare's tests.
func result(name string) string {
	return filepath.Join("..", "..", "bench", "compare", "testdata", name)
}

func TestCompareNeedsNoToolchain(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for _, c := range []struct {
		args   []string
		status int
		out    string // a part of it
		said   string
	}{
		{[]string{result("old.json"), result("new.json")}, statusDone, "Welch's t", ""},
		{[]string{result("old.json"), result("new.json"), "--relative-to=go"}, statusDone, "all relative to go", ""},
		{[]string{"--relative-to", "go", result("old.json"), result("new.json")}, statusDone, "all relative to go", ""},
		{[]string{result("old.json")}, statusDone, "4 rounds: each variant against encorert", ""},
		{[]string{"--baseline=bump", result("old.json")}, statusDone, "each variant against bump", ""},
		{[]string{"--help"}, statusDone, "encorert bench compare A.json [B.json] [flags]", ""},
		{[]string{"nosuch.json"}, statusFindings, "", "encorert: nosuch.json: no such file or directory\n"},
		{[]string{result("within.table.golden"), result("new.json")}, statusFindings, "", "within.table.golden: no result of"},
		{[]string{"--baseline=nosuch", result("old.json")}, statusFindings, "", `no variant "nosuch"`},
		{nil, statusUsage, "", "encorert: bench compare wants one result or two\nRun 'encorert bench compare --help' for usage.\n"},
		{[]string{"a", "b", "c"}, statusUsage, "", "wants one result or two"},
		{[]string{"a", "--relative-to=go"}, statusUsage, "", "--relative-to is for two results"},
		{[]string{"a", "b", "--baseline=go"}, statusUsage, "", "--baseline is for one result"},
		{[]string{"a", "--nosuch"}, statusUsage, "", "unknown flag --nosuch\nRun 'encorert bench compare --help' for usage.\n"},
	} {
		var out, said bytes.Buffer
		require.Equal(t, c.status, run(t.Context(), append([]string{"encorert", "bench", "compare"}, c.args...), &out, &said), c.args)
		require.Contains(t, out.String(), c.out, c.args)
		require.Contains(t, said.String(), c.said, c.args)
		if c.status != statusDone {
			require.Empty(t, out.String(), c.args)
		}
	}
}

func TestCompareJSON(t *testing.T) {
	var out, said bytes.Buffer
	require.Equal(t, statusDone, run(t.Context(), []string{"encorert", "bench", "compare", "--json", result("old.json")}, &out, &said))
	require.Empty(t, said.String())
	require.True(t, json.Valid(out.Bytes()))
	want, err := os.ReadFile(result("within.golden.json"))
	require.NoError(t, err)
	var a, b map[string]any
	require.NoError(t, json.Unmarshal(want, &a))
	require.NoError(t, json.Unmarshal(out.Bytes(), &b))
	require.Equal(t, a["differences"], b["differences"])
}
