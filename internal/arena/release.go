package arena

import (
	"fmt"
	"math"
)

// Release gives the pages of free blocks back to the system, at most limit bytes of them (0: all), highest addresses
// first so that what is reused first stays. It returns the bytes given up. The address space stays reserved.
func Release(limit int64) int64 {
	if limit <= 0 {
		limit = math.MaxInt64
	}
	world.mu.Lock()
	defer world.mu.Unlock()
	var given int64
	for n := len(world.sections) - 1; n >= 0; n-- {
		s := world.sections[n]
		for i := sectionBlocks - 1; i > 0 && given < limit; i-- {
			if !s.free.has(i) || !s.backed.has(i) {
				continue
			}
			last := i
			for i > 1 && s.free.has(i-1) && s.backed.has(i-1) && given+int64(last-i+1)*BlockSize < limit {
				i--
			}
			size := (last - i + 1) * BlockSize
			if !sysUnuse(s.block(i), size) {
				return given
			}
			for j := i; j <= last; j++ {
				s.backed.clear(j)
			}
			given += int64(size)
		}
	}
	return given
}

// SystemError says that the system refused memory.
type SystemError struct {
	Op    string  // "reserve" or "commit"
	Bytes uintptr // what was asked for
	Err   error   // the system's reason
	// Mappings in use by the process and the most it may have; 0 where the system does not tell. A kernel that has run
	// out of mappings says "cannot allocate memory" while there is plenty.
	Mappings, MappingLimit int
}

func (e *SystemError) Error() string {
	maps := ""
	if e.MappingLimit > 0 {
		maps = fmt.Sprintf(" (%d of at most %d mappings in use)", e.Mappings, e.MappingLimit)
	}
	return fmt.Sprintf("arena: cannot %s %d bytes: %v%s", e.Op, e.Bytes, e.Err, maps)
}

func (e *SystemError) Unwrap() error { return e.Err }

func systemError(op string, size uintptr, err error) error {
	used, limit := mappings()
	return &SystemError{Op: op, Bytes: size, Err: err, Mappings: used, MappingLimit: limit}
}
