package harness

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPlayers(t *testing.T) {
	type params struct{ Size int }
	players := Players[params]{
		"b": func(p params) Repeat {
			return func() (Repetition, error) { return Repetition{Count: int64(p.Size)}, nil }
		},
		"a": nil,
	}
	repeat, err := players.Child("b", []byte(`{"Size":7}`), nil)
	require.NoError(t, err)
	rep, err := repeat()
	require.NoError(t, err)
	require.EqualValues(t, 7, rep.Count)
	_, err = players.Child("c", []byte(`{}`), nil)
	require.EqualError(t, err, `no variant "c", there are: a, b`)
	_, err = players.Child("b", []byte(`{`), nil)
	require.ErrorContains(t, err, "reading parameters: ")
}
