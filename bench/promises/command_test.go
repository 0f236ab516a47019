package promises

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/bench/contend"
	"github.com/encorert/encorert/bench/harness"
	"github.com/encorert/encorert/bench/harness/harnesstest"
	"github.com/encorert/encorert/bench/spread"
)

func TestMain(m *testing.M) { harnesstest.Main(m, contend.Workload(), spread.Workload()) }

// runCommand runs promises about contend and spread.
func runCommand(t *testing.T, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	var out, said bytes.Buffer
	program := harness.Program()
	program.Commands = append(program.Commands, command([]promise{
		{name: "contend", what: "can be kept", figure: figure{contendSmall, "ratio"}, bound: above(0)},
		{name: "spread", what: "cannot be kept", figure: figure{spreadSmall, "utilisation"}, bound: above(1)},
		{name: "later", what: "comes", waits: "issue 9"},
	}, []harness.Workload{contend.Workload(), spread.Workload()}))
	program.Reader, program.Writer, program.ErrWriter = os.Stdin, &out, &said
	err = program.Run(t.Context(), append([]string{"encorert bench", "promises"}, args...))
	return out.String(), said.String(), err
}

var (
	contendSmall = run{"contend", "--workers=8", 2}
	spreadSmall  = run{"spread", "--workers=2", 2}
)

func TestStatus(t *testing.T) {
	for _, c := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"--quick", "--only=contend"}, 0, ""},
		{[]string{"--quick", "--only=contend,later"}, 0, ""},
		{[]string{"--quick"}, 1, "1 promise missed: spread: cannot be kept"},
		{[]string{"--only=nosuch"}, 2, `--only: no promise of "nosuch", there are: contend, spread, later`},
		{[]string{"more"}, 2, `promises takes no argument, got "more"`},
		{[]string{"--nosuch"}, 2, "no flag --nosuch"},
	} {
		_, _, err := runCommand(t, c.args...)
		require.Equal(t, c.status, harness.Status(err), "%q: %v", c.args, err)
		if c.want != "" {
			require.ErrorContains(t, err, c.want)
		}
	}
}

func TestOutput(t *testing.T) {
	table, said, err := runCommand(t, "--quick", "--only=contend")
	require.NoError(t, err)
	require.Contains(t, table, "1 promise kept, 0 missed")
	require.Contains(t, table, "--quick: figures and verdicts mean nothing")
	require.NotContains(t, table, "spread")
	require.Equal(t, "1 of 1: contend --workers=8\n", said)

	text, _, err := runCommand(t, "--quick", "--json")
	require.Error(t, err)
	var r struct {
		Workload     string
		Missed       []string
		Promises     []line
		Measurements []struct {
			Run    string
			Again  bool
			Report struct {
				Workload string
				Samples  map[string][]float64
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(text), &r), "one object, though a promise is missed")
	require.Equal(t, "promises", r.Workload)
	require.Equal(t, []string{"spread: cannot be kept"}, r.Missed)
	require.Len(t, r.Promises, 3)
	require.Len(t, r.Measurements, 3, "both measurements of what was missed")
	require.Equal(t, "spread", r.Measurements[2].Report.Workload)
	require.True(t, r.Measurements[2].Again)
	require.Len(t, r.Measurements[2].Report.Samples["ideal"], 4)
}
