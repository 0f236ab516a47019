package timeline

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// wellFormed reads the picture as XML.
func wellFormed(t *testing.T, text string) {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err)
	}
}

func TestPicture(t *testing.T) {
	run := []Point{
		{At: 2 * time.Millisecond, Live: 1 << 20, Held: 3 << 20, Allocated: 2 << 20, Pause: 80 * time.Microsecond},
		{At: 5 * time.Millisecond, Live: 2 << 20, Held: 4 << 20, Allocated: 6 << 20, Pause: 900 * time.Microsecond, Full: true},
		{At: 9 * time.Millisecond, Live: 2 << 20, Held: 4 << 20, Allocated: 9 << 20, Pause: 30 * time.Microsecond},
	}
	var b strings.Builder
	require.NoError(t, SVG(&b, "a run <of tests>", run))
	text := b.String()
	wellFormed(t, text)
	for _, want := range []string{"<svg", "a run &lt;of tests&gt;", ">live<", ">held<", ">allocated<", ">pause, minor<", ">pause, full<", ">MiB<", ">us<", ">ms<"} {
		require.Contains(t, text, want)
	}
	// The same run, the same picture.
	var again strings.Builder
	require.NoError(t, SVG(&again, "a run <of tests>", run))
	require.Equal(t, text, again.String())
}

func TestPictureWithoutCollections(t *testing.T) {
	var b strings.Builder
	require.NoError(t, SVG(&b, "nothing", nil))
	wellFormed(t, b.String())
	require.NotContains(t, b.String(), ">live<")
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestErrorOfTheWriter(t *testing.T) {
	require.ErrorContains(t, SVG(broken{}, "x", nil), "disk full")
}
