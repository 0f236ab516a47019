//go:build !race

package arena

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime/debug"
	"strconv"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestFewMappings is row 71 of the reliability list: however much is handed out, in whatever sizes, mappings stay few.
func TestFewMappings(t *testing.T) {
	o := newOwner(t)
	for range 2000 {
		_, err := o.Blocks(1)
		require.NoError(t, err)
		_, err = o.Chunk(Class1K)
		require.NoError(t, err)
	}
	used, limit := mappings()
	require.Positive(t, used)
	require.Less(t, used, 1000)
	require.Greater(t, limit, used)
}

// TestMappingLimitIsNamed uses up nearly all of the kernel's mappings in a child process: the error must say what is short.
func TestMappingLimitIsNamed(t *testing.T) {
	const role = "ENCORERT_ARENA_EXHAUST"
	if os.Getenv(role) != "" {
		fmt.Println(exhaust())
		return
	}
	child := exec.Command(os.Args[0], "-test.run=^TestMappingLimitIsNamed$")
	child.Env = append(os.Environ(), role+"=1")
	out, err := child.CombinedOutput()
	require.NoError(t, err, string(out))
	found := regexp.MustCompile(`arena: cannot reserve \d+ bytes: cannot allocate memory \((\d+) of at most \d+ mappings in use\)`).FindSubmatch(out)
	require.NotNil(t, found, string(out))
	used, err := strconv.Atoi(string(found[1]))
	require.NoError(t, err)
	require.Greater(t, used, 10000)
}

var pageSize = os.Getpagesize()

// exhaust makes many mappings and returns the error of the next reservation. The last mappings stay free, for Go's
// runtime dies without: a limit on address space stands in for the refusal.
func exhaust() error {
	debug.SetGCPercent(-1)
	used, limit := mappings()
	pairs := min((limit-used)/2-200, 30000)
	size := 2 * pairs * pageSize
	base, err := unix.MmapPtr(-1, 0, nil, uintptr(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_NORESERVE)
	if err != nil {
		return err
	}
	for i := range pairs { // every second page is read-only
		if err := unix.Mprotect(unsafe.Slice((*byte)(unsafe.Add(base, 2*i*pageSize)), pageSize), unix.PROT_READ); err != nil {
			return err
		}
	}
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return err
	}
	pages, err := strconv.ParseUint(string(text[:bytes.IndexByte(text, ' ')]), 10, 64)
	if err != nil {
		return err
	}
	most := pages*uint64(os.Getpagesize()) + 4<<20
	if err := unix.Setrlimit(unix.RLIMIT_AS, &unix.Rlimit{Cur: most, Max: most}); err != nil {
		return err
	}
	_, err = NewOwner("child").Blocks(1)
	return err
}
