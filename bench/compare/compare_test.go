package compare

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the golden files of testdata anew")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(path, got, 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got))
}

func read(t *testing.T, name string) *File {
	t.Helper()
	f, err := Read(filepath.ToSlash(filepath.Join("testdata", name)))
	require.NoError(t, err)
	return f
}

func TestGoldens(t *testing.T) {
	for name, compared := range map[string]func() (*Report, error){
		"within":   func() (*Report, error) { return Within(read(t, "old.json"), "") },
		"baseline": func() (*Report, error) { return Within(read(t, "old.json"), "go") },
		"between":  func() (*Report, error) { return Between(read(t, "old.json"), read(t, "new.json"), "") },
		"relative": func() (*Report, error) { return Between(read(t, "old.json"), read(t, "new.json"), "go") },

		"promises-within": func() (*Report, error) { return Within(read(t, "promises-old.json"), "") },
		"promises-between": func() (*Report, error) {
			return Between(read(t, "promises-old.json"), read(t, "promises-new.json"), "")
		},
		"promises-relative": func() (*Report, error) {
			return Between(read(t, "promises-old.json"), read(t, "promises-new.json"), "go")
		},
	} {
		r, err := compared()
		require.NoError(t, err, name)
		var table, object bytes.Buffer
		require.NoError(t, r.Table(&table))
		golden(t, name+".table.golden", table.Bytes())
		require.NoError(t, r.JSON(&object))
		golden(t, name+".golden.json", object.Bytes())
	}
}

func TestFigures(t *testing.T) {
	r, err := Between(read(t, "old.json"), read(t, "new.json"), "")
	require.NoError(t, err)
	require.Equal(t, "encorert", r.Differences[0].Name)
	d := r.Differences[0] // 34, 35, 33, 34 and 31, 32, 31, 31, 30: variances 2/3 and 1/2, degrees of freedom 6.047
	require.InDelta(t, -3, d.Mean, 1e-9)
	require.InDelta(t, -3-2.44229*0.516398, d.Low, 1e-3)
	require.InDelta(t, -3+2.44229*0.516398, d.High, 1e-3)
	require.Equal(t, Less, d.Verdict())
	require.InDelta(t, -100*3/34.0, d.Pct.Mean, 1e-9)
}

func TestVerdict(t *testing.T) {
	var d Difference
	require.Equal(t, NotShown, d.Verdict(), "0 is in the interval from 0 to 0")
	d.Low, d.High = 1, 2
	require.Equal(t, More, d.Verdict())
	d.Low, d.High = -1, 2
	require.Equal(t, NotShown, d.Verdict())
}

func TestUnusableFiles(t *testing.T) {
	_, err := Read(filepath.Join("testdata", "nosuch.json"))
	require.ErrorIs(t, err, os.ErrNotExist)
	var file *FileError
	require.ErrorAs(t, err, &file)
	for text, want := range map[string]string{
		``:                                 "no result of 'encorert bench <workload> --json': EOF",
		`nonsense`:                         "no result of 'encorert bench <workload> --json': invalid",
		`{}`:                               "it has no workload or no samples",
		`[]`:                               "cannot unmarshal array",
		`{"workload":"ring","samples":{}}`: "it has no workload or no samples",
		`{"workload":"a","samples":{"b":[1,2]}} {}`:          "something follows the JSON object",
		`{"workload":"a","samples":{"b":[1]}}`:               "variant b has 1 sample(s), an interval needs 2: run with --runs=2 or more",
		`{"workload":"a","samples":{"b":[1,2],"c":[1,2,3]}}`: "variant c has 3 samples where others have 2",
		`{"workload":"a","samples":{"b":["x","y"]}}`:         "cannot unmarshal string",

		`{"workload":"promises"}`: "no result of 'encorert bench promises --json': it has no measurements",
		`{"workload":"promises","measurements":[{"run":"ring","report":{}}]}`: "ring: no result of",
		`{"workload":"promises","measurements":7}`:                            "cannot unmarshal number",
	} {
		path := filepath.Join(t.TempDir(), "a.json")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		_, err := Read(path)
		require.ErrorContains(t, err, path+": ")
		require.ErrorContains(t, err, want, text)
	}
}

func TestUnusableTogether(t *testing.T) {
	for name, c := range map[string]struct {
		change func(b *File)
		want   string
	}{
		"workload": {func(b *File) { b.Workload = "ring" }, "workload is gcbench in the first and ring in the second"},
		"unit":     {func(b *File) { b.Unit = "ns" }, "unit is ms in the first and ns in the second"},
		"workers":  {func(b *File) { b.Workers = 9 }, "workers is 2 in the first and 9 in the second"},
		"flags":    {func(b *File) { b.Flags["actors"] = 9 }, "actors is 1 in the first and 9 in the second"},
		"variants": {func(b *File) { b.Samples = map[string][]float64{"x": {1, 2}} }, "have no variant in common"},
	} {
		b := read(t, "new.json")
		c.change(b)
		_, err := Between(read(t, "old.json"), b, "")
		require.ErrorContains(t, err, c.want, name)
	}
	b := read(t, "new.json")
	b.Flags = map[string]float64{"new": 1}
	_, err := Between(read(t, "old.json"), b, "")
	require.NoError(t, err, "a flag that only one has")
	b.Flags = nil
	_, err = Between(read(t, "old.json"), b, "")
	require.NoError(t, err, "a result from before flags were said")

	_, err = Between(read(t, "old.json"), read(t, "new.json"), "nosuch")
	require.ErrorContains(t, err, `testdata/old.json: no variant "nosuch", there are: bump, encorert, go`)
	_, err = Within(read(t, "old.json"), "nosuch")
	require.ErrorContains(t, err, `no variant "nosuch"`)
	one := &File{Path: "one.json", Workload: "a", Samples: map[string][]float64{"encorert": {1, 2}}}
	_, err = Within(one, "")
	require.ErrorContains(t, err, "one.json: encorert is the only variant")
	zero := &File{Path: "zero.json", Workload: "a", Samples: map[string][]float64{"encorert": {1, 2}, "go": {1, 0}}}
	_, err = Between(zero, zero, "go")
	require.ErrorContains(t, err, "zero.json: sample 2 of go is 0")
}

func TestUnusablePromises(t *testing.T) {
	old := func() *File { return read(t, "promises-old.json") }
	_, err := Between(old(), read(t, "new.json"), "")
	require.ErrorContains(t, err, "workload is promises in the first and gcbench in the second")
	_, err = Between(read(t, "new.json"), old(), "")
	require.ErrorContains(t, err, "workload is gcbench in the first and promises in the second")
	_, err = Between(old(), old(), "nosuch")
	require.ErrorContains(t, err, `promises-old.json: no measurement has variant "nosuch"`)
	_, err = Within(old(), "nosuch")
	require.ErrorContains(t, err, `promises-old.json: no measurement has variant "nosuch" and others`)

	shrunk := old()
	shrunk.Parts[0].Flags["actors"] = 9
	_, err = Between(old(), shrunk, "")
	require.ErrorContains(t, err, "gcbench --workers=2: ")
	require.ErrorContains(t, err, "actors is 1 in the first and 9 in the second")

	other := old()
	for _, p := range other.Parts {
		p.Run += " --changed"
	}
	_, err = Between(old(), other, "")
	require.ErrorContains(t, err, "have no measurement in common")
}

func TestWithinWithoutEncorert(t *testing.T) {
	f := &File{Path: "a.json", Workload: "a", Samples: map[string][]float64{"x": {1, 2}, "w": {2, 3}}}
	r, err := Within(f, "")
	require.NoError(t, err)
	require.Equal(t, "w", r.Baseline)
}
