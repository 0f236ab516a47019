package heap

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/internal/hammer"
)

// TestWordsAreAligned is row 76 of the reliability list: headers are read and written atomically by those who mark
// together, so each lies at a multiple of 8, whatever was allocated before it, in heaps, fragments and spans; and so do
// line marks at one of 4. CI runs it where addresses have 32 bits as well.
func TestWordsAreAligned(t *testing.T) {
	a := newActor(t, Config{Nursery: 32 << 10})
	r := rand.New(rand.NewPCG(3, 3))
	types := []*Type{nodeType, sheetType, NewType("layout odd", 13), NewType("layout byte", 1), NewType("layout none", 0)}
	aligned := func(p unsafe.Pointer) {
		if uintptr(unsafe.Pointer(headerOf(p)))%8 != 0 || uintptr(p)%8 != 0 {
			t.Fatalf("object at %p", p)
		}
		atomic.LoadUint64(headerOf(p)) // panics, or faults, where it is not
		atomic.LoadUint32(flagsOf(p))
	}
	for range hammer.Rounds(20000, 1_000_000) {
		switch ty := types[r.IntN(len(types))]; r.IntN(4) {
		case 0:
			p, err := a.h.AllocArray(&a.c, bytesType, uintptr(r.IntN(300)))
			require.NoError(t, err)
			aligned(p)
		case 1:
			p, err := a.h.AllocArray(&a.c, bytesType, uintptr(r.IntN(3*BlockSize)))
			require.NoError(t, err)
			aligned(p)
		default:
			p := allocate(a.h, &a.c, ty.total, ty.Header())
			clear(unsafe.Slice((*byte)(p), ty.size))
			aligned(p)
		}
		if a.h.Due() {
			a.collect()
		}
	}
	list := unsafe.Pointer(a.list(100))
	f := a.h.space.NewFragment()
	require.NoError(t, f.CopyFrom(a.h, &list))
	for n := (*node)(list); n != nil; n = n.a {
		aligned(unsafe.Pointer(n))
	}
	f.Free()
	for k := range classes {
		c, err := a.h.space.takeChunk(k)
		require.NoError(t, err)
		require.Zero(t, uintptr(unsafe.Pointer(unsafe.SliceData(c.marks())))%4)
		require.Zero(t, len(c.marks())%4)
		a.h.space.giveChunks([]chunk{c})
	}
}

// TestOddOffsetsAreRefused: a pointer that is not aligned could be torn.
func TestOddOffsetsAreRefused(t *testing.T) {
	for _, offset := range []uintptr{1, 2, 3, 5, unsafe.Sizeof(uintptr(0)) + 1} {
		require.Panics(t, func() { NewType("layout crooked", 64, offset) }, "offset %d", offset)
	}
}

// TestNoBareAtomicFields: words of 64 bits that several goroutines write are atomic.Int64 and its like, which are aligned
// wherever they stand; a bare uint64 with functions of sync/atomic is not, where addresses have 32 bits.
func TestNoBareAtomicFields(t *testing.T) {
	seen := map[reflect.Type]bool{}
	words := 0
	var look func(ty reflect.Type, base uintptr, path string)
	look = func(ty reflect.Type, base uintptr, path string) {
		switch ty.Kind() {
		case reflect.Array:
			look(ty.Elem(), base, path+"[0]")
			look(ty.Elem(), base+ty.Elem().Size(), path+"[1]")
		case reflect.Struct:
			if strings.HasPrefix(ty.PkgPath(), "sync/atomic") && ty.Size() == 8 {
				words++
				require.Zero(t, base%8, path)
			}
			for i := range ty.NumField() {
				f := ty.Field(i)
				look(f.Type, base+f.Offset, path+"."+f.Name)
			}
		case reflect.Pointer:
			if e := ty.Elem(); e.Kind() == reflect.Struct && !seen[e] && strings.HasSuffix(e.PkgPath(), "gc/heap") {
				seen[e] = true
				look(e, 0, e.Name())
			}
		}
	}
	for _, root := range []any{(*Space)(nil), (*Heap)(nil), (*Fragment)(nil), (*Marking)(nil)} {
		look(reflect.TypeOf(root), 0, "")
	}
	require.Greater(t, words, 10, "of an array the first two are looked at")
}
