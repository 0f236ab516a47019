package rt

import (
	"reflect"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"

	"github.com/encorert/encorert/internal/mailbox"
)

// What senders read of an actor lies on another cache line than what its owner writes with each message, where the actor
// begins on a line, as those do whose size class is a multiple of one. The line is 64 bytes on amd64, and on most of
// arm64. The order of fields is the same on both.
func TestSendersReadAnotherLine(t *testing.T) {
	const line = 64
	box := unsafe.Offsetof(Actor{}.box)
	field := func(name string) uintptr {
		f, ok := reflect.TypeFor[mailbox.Box[Message]]().FieldByName(name)
		assert.True(t, ok, name)
		return box + f.Offset
	}
	for name, at := range map[string]uintptr{
		"typ": unsafe.Offsetof(Actor{}.typ), "rt": unsafe.Offsetof(Actor{}.rt), "more": unsafe.Offsetof(Actor{}.more), "box.home": field("home"),
	} {
		assert.Zero(t, at/line, name)
	}
	for _, name := range []string{"head", "late", "local"} {
		assert.NotZero(t, field(name)/line, "box.%s", name)
	}
}
