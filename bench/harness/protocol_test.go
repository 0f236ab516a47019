package harness

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseAnswer(t *testing.T) {
	for _, c := range []struct {
		line string
		want Repetition
		note string
		err  string
	}{
		{line: `{"ms":1.5}`, want: Repetition{Millis: 1.5}},
		{line: `{"ms":1.5,"count":7,"rss_kib":9,"values":{"a":1},"unknown":true}`,
			want: Repetition{Millis: 1.5, Count: 7, RSSKiB: 9, Values: map[string]float64{"a": 1}}},
		{line: `{"note":"warm"}`, note: "warm"},
		{line: `{"count":7}`, err: `no "ms"`},
		{line: `{"ms":0,"count":7}`, err: `no "ms"`},
		{line: `{"ms":-1}`, err: `no "ms"`},
		{line: `{"error":"out of memory"}`, err: "reported: out of memory"},
		{line: ``, err: "no JSON object"},
		{line: `warming up`, err: "no JSON object"},
		{line: `{"ms":1} {"ms":2}`, err: "more than one JSON object"},
		{line: strings.Repeat("x", 1000), err: "xxx..."},
	} {
		got, note, err := parseAnswer([]byte(c.line))
		if c.err != "" {
			require.ErrorContains(t, err, c.err, c.line)
			continue
		}
		require.NoError(t, err, c.line)
		require.Equal(t, c.want, got)
		require.Equal(t, c.note, note)
	}
}

func TestServeAnswersEachLine(t *testing.T) {
	var out bytes.Buffer
	n := 0
	err := serve(strings.NewReader("{\"rep\":1}\nanything\n"), newTeller(&out), func() (Repetition, error) {
		n++
		return Repetition{Millis: float64(n), Count: 5, RSSKiB: 1}, nil
	})
	require.NoError(t, err)
	require.Equal(t, "{\"ms\":1,\"count\":5,\"rss_kib\":1}\n{\"ms\":2,\"count\":5,\"rss_kib\":1}\n", out.String())
}

func TestServeReportsFailure(t *testing.T) {
	var out bytes.Buffer
	damaged := errors.New("damaged")
	err := serve(strings.NewReader("1\n2\n"), newTeller(&out), func() (Repetition, error) { return Repetition{}, damaged })
	require.ErrorIs(t, err, damaged)
	require.Equal(t, "{\"error\":\"damaged\"}\n", out.String())
}
