package heap

import "fmt"

// LimitError says that an allocation would have taken the Space across its limit. Nothing was allocated, and the heap is
// as it was: a collection may make room.
type LimitError struct {
	Limit int64 // Config.Limit
	Used  int64 // bytes held outside Go's heap
	Want  int64 // bytes asked for
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("heap: memory limit of %d bytes reached: %d in use, %d more wanted", e.Limit, e.Used, e.Want)
}
