package harness

import (
	"bytes"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMeasureReturnsTheReport(t *testing.T) {
	var said bytes.Buffer
	report, err := fake(nil).Measure(t.Context(), &said, "--runs=2", "--some-size=9")
	require.NoError(t, err)
	require.Empty(t, said.String())
	head := report.(fakeReport).Head
	require.Equal(t, 2, head.Runs)
	require.Equal(t, 9.0, head.Flags["some_size"])
	require.Len(t, head.Samples["steady"], 2)
}

func TestMeasureFails(t *testing.T) {
	_, err := fake(nil).Measure(t.Context(), io.Discard, "--runs=x")
	require.Equal(t, 2, Status(err))
	_, err = fake([]string{"dies"}).Measure(t.Context(), io.Discard, "--runs=1")
	require.ErrorContains(t, err, "exit status 3")
	require.Equal(t, 1, Status(err))
}
