package heap

import (
	"sync"
	"time"

	"github.com/encorert/encorert/internal/arena"
)

// releaseDelay is how long free pages are kept after the last Space was closed. Fresh pages cost 2 us for 4 KiB, so a
// process that starts one runtime after the other should keep them; one that is done should not. Picked; not measured.
const releaseDelay = 2 * time.Second

// lateRelease gives free pages back to the system once. Any goroutine.
var lateRelease struct {
	sync.Mutex
	timer *time.Timer // guarded by the mutex
}

// releaseLater starts the delay, or starts it again.
func releaseLater() {
	lateRelease.Lock()
	defer lateRelease.Unlock()
	if lateRelease.timer == nil {
		lateRelease.timer = time.AfterFunc(releaseDelay, func() { arena.Release(0) })
		return
	}
	lateRelease.timer.Reset(releaseDelay)
}
