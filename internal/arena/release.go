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
	return release(limit)
}

// Trim gives back the pages that nobody has needed since the last Trim: as many as were free all that time. Called at
// intervals it makes free memory go back one to two intervals after it was last of use, and none that comes and goes
// meanwhile. It returns the bytes given up, and those that are left for the next time: 0 where the system takes nothing.
func Trim() (given, left int64) {
	world.mu.Lock()
	defer world.mu.Unlock()
	if world.idleLow > 0 {
		if given = release(int64(world.idleLow) * BlockSize); given == 0 {
			return 0, 0 // the system takes nothing
		}
	}
	world.idleLow = world.idle
	return given, int64(world.idle) * BlockSize
}

// release is Release. REQUIRES: world.mu.
func release(limit int64) int64 {
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
			s.settle()
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
