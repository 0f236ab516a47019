package gcbench

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// playPeer is a program that speaks the protocol as the help describes it, and does no work.
func playPeer(args []string) int {
	honest := args[0] == "honest"
	var n [6]int
	for i, text := range args[1:] {
		n[i], _ = strconv.Atoi(text)
	}
	job := Job{n[0], n[1], n[2], n[3], n[4], n[5]}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		count := job.Nodes()
		if !honest {
			count--
		}
		fmt.Printf("{\"ms\":1.25,\"count\":%d}\n", count)
	}
	return 0
}

func TestUserPeer(t *testing.T) {
	out, err := runProgram(t, append(small, "--json", "--variants=mine", "--peer=mine="+os.Args[0]+" peer honest")...)
	require.NoError(t, err)
	var got struct{ Peers map[string]float64 }
	require.NoError(t, json.Unmarshal([]byte(out), &got))
	require.Equal(t, map[string]float64{"mine": 1.25}, got.Peers)

	_, err = runProgram(t, append(small, "--variants=mine", "--peer=mine="+os.Args[0]+" peer lazy")...)
	require.ErrorContains(t, err, "variant mine counted")
}

func TestUserPeerUsage(t *testing.T) {
	for _, peer := range []string{"", "x", "x=", "=x", "x=  "} {
		_, err := userPeer(peer, smallJob)
		require.ErrorContains(t, err, "want name=command", peer)
	}
	v, err := userPeer("x=a b=c", smallJob)
	require.NoError(t, err)
	launch, err := v.Launch(nil)
	require.NoError(t, err)
	require.Equal(t, "a b=c 8 7 1000 2 6 1", strings.Join(launch.Args, " "))
}

// What is installed runs and counts all nodes, what is not is named with the reason.
func TestPeersRunOrSayWhatIsMissing(t *testing.T) {
	out, err := runProgram(t, append(small, "--json", "--peers", "--actors=2")...)
	require.NoError(t, err)
	var got struct {
		Peers   map[string]float64
		Missing map[string]string
	}
	require.NoError(t, json.Unmarshal([]byte(out), &got))
	answered := slices.Concat(slices.Collect(maps.Keys(got.Peers)), slices.Collect(maps.Keys(got.Missing)))
	require.Contains(t, answered, "c-libgc")
	if _, noJava := got.Missing["java"]; !noJava {
		for _, c := range collectors {
			require.Contains(t, answered, c.name)
			require.Contains(t, answered, c.name+"-same-memory")
		}
	}
}

func TestPeersWithoutTools(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	out, err := runProgram(t, append(small, "--peers", "--variants=go")...)
	require.NoError(t, err)
	require.Contains(t, out, "not run: java-g1-same-memory: needs java and javac")
	require.Contains(t, out, "not run: c-libgc: needs cc")
}
