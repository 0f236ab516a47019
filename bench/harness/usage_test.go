package harness

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestProgramUsageErrors(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "which workload"},
		{[]string{"nosuch"}, `no workload "nosuch"`},
		{[]string{"--nosuch"}, "no flag --nosuch\nRun 'encorert bench --help' for usage."},
		{[]string{"list", "extra"}, "list takes no argument"},
		{[]string{"fake", "extra"}, "fake takes no argument"},
		{[]string{"fake", "--nosuch"}, "no flag --nosuch\nRun 'encorert bench fake --help' for usage."},
		{[]string{"fake", "--runs=many"}, "--runs wants a whole number, not \"many\"\nRun 'encorert bench fake --help' for usage."},
		{[]string{"fake", "-runs", ""}, "--runs wants a whole number, not \"\""},
		{[]string{"fake", "--runs"}, "--runs wants a whole number\n"},
		{[]string{"fake", "--timeout=long"}, "--timeout wants a duration such as 90s or 2m, not \"long\""},
		{[]string{"fake", "--json=maybe"}, "--json wants true or false, if anything, not \"maybe\""},
		{[]string{"fake", "--variants"}, "--variants wants a value"},
		{[]string{"fake", "--runs=0"}, "--runs must be 1 or more"},
		{[]string{"fake", "--warmup=0"}, "--warmup must be 1 or more"},
		{[]string{"fake", "--workers=0"}, "--workers must be 1 or more"},
		{[]string{"fake", "--timeout=0"}, "--timeout must be above zero"},
		{[]string{"fake", "--variants=nosuch"}, `no variant "nosuch", there are: steady, slow`},
		{[]string{"fake", "--refuse"}, "--refuse given"},
	} {
		out, _, err := runProgram(t, nil, c.args...)
		require.ErrorContains(t, err, c.want, "%q", c.args)
		require.Equal(t, 2, Status(err), "%q", c.args)
		require.Empty(t, out, "%q", c.args)
	}
}

func TestStatus(t *testing.T) {
	require.Equal(t, 0, Status(nil))
	require.Equal(t, 1, Status(errors.New("x")))
	require.Equal(t, 2, Status(fmt.Errorf("around it: %w", usageError{err: errors.New("x")})))
}
