package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/bench/harness"
	"github.com/encorert/encorert/bench/harness/harnesstest"
	"github.com/encorert/encorert/bench/versus"
)

var unbuilt = &builder{built: map[string]built{}} // nothing is built: tests are fast

func TestMain(m *testing.M) {
	flag.Parse()
	for _, library := range libraries {
		unbuilt.built[library] = built{err: os.ErrNotExist}
	}
	harnesstest.Main(m, workloads(unbuilt)...)
}

func runPeers(t *testing.T, args ...string) (stdout string, err error) {
	t.Helper()
	var out, said bytes.Buffer
	program := harness.Program(workloads(unbuilt)...)
	program.Reader, program.Writer, program.ErrWriter = os.Stdin, &out, &said
	addAll(program, workloads(unbuilt))
	err = program.Run(context.Background(), append([]string{"peers"}, args...))
	return out.String(), err
}

func TestAllWithoutLibraries(t *testing.T) {
	out, err := runPeers(t, "--quick", "--runs=2", "--json")
	require.NoError(t, err)
	var r report
	require.NoError(t, json.Unmarshal([]byte(out), &r))
	require.Equal(t, "peers", r.Workload)
	require.Len(t, r.Measurements, 2*len(jobs()))
	for _, m := range r.Measurements {
		require.Contains(t, m.Report["samples"], versus.Actors, m.Run)
		require.Contains(t, m.Report["missing"], "goakt", m.Run)
	}
}

func TestTable(t *testing.T) {
	r := &report{Machine: harnesstest.Machine, variants: []string{"encorert", "goakt"}, missing: map[string]string{"goakt": "no network"}}
	r.lines = []line{
		{job: job{title: "ubench 25 x 1", rate: true}, nanos: [2]map[string]float64{{"encorert": 20, "goakt": 200}, {"encorert": 40}}},
		{job: job{title: "ask, round trip"}, nanos: [2]map[string]float64{{"encorert": 99.6}, {"encorert": 120, "goakt": 900}}},
	}
	var out bytes.Buffer
	require.NoError(t, r.Table(&out))
	require.Equal(t, `  1 / 2 workers            encorert    goakt
  ubench 25 x 1    M/s  50.0 / 25.0  5.0 / -
  ask, round trip   ns    100 / 120  - / 900
not run: goakt: no network
Example 9000, 2 cores, 4096 MB, linux/amd64 6.1, go1.26
`, out.String())
}

func TestUsage(t *testing.T) {
	for args, want := range map[string]string{
		"--variants=nosuch": `no variant "nosuch", there are: encorert, protoactor, hollywood, goakt`,
		"--runs=0":          "--runs must be 1 or more",
		"nosuch":            `no workload "nosuch"`,
	} {
		_, err := runPeers(t, args)
		require.ErrorContains(t, err, want)
		require.Equal(t, 2, harness.Status(err))
	}
}
