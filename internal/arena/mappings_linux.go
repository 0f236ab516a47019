package arena

import (
	"bytes"
	"io"
	"os"
	"strconv"
)

// mappings returns the mappings that the process has and the most that it may have, 0 when unknown. It allocates little:
// it is called when memory is short.
func mappings() (used, limit int) {
	f, err := os.Open("/proc/self/maps")
	if err != nil {
		return 0, 0
	}
	defer f.Close()
	var buffer [4096]byte
	for {
		n, err := f.Read(buffer[:])
		used += bytes.Count(buffer[:n], []byte{'\n'})
		if err == io.EOF {
			break
		}
		if err != nil {
			return 0, 0
		}
	}
	text, err := os.ReadFile("/proc/sys/vm/max_map_count")
	if err != nil {
		return used, 0
	}
	limit, err = strconv.Atoi(string(bytes.TrimSpace(text)))
	if err != nil {
		return used, 0
	}
	return used, limit
}
