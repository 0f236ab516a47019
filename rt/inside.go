package rt

import (
	"errors"
	"reflect"
	"runtime"
)

// ErrInside is what a call returns that would wait, inside a behaviour, for behaviours to end, and so perhaps for itself. Blocking
// runs it elsewhere, if it must be.
var ErrInside = errors.New("rt: called from inside a behaviour, which it would wait for")

// The functions at the bottom of what runs on workers: behaviours, with Config.OnPanic, and what a wait has called.
var (
	strandEntry = reflect.ValueOf((*strand).body).Pointer()
	workerEntry = reflect.ValueOf((*worker).drive).Pointer()
)

// inside reports whether its caller is called by a worker, of any runtime. It looks through the whole stack, in portions
// that double, since each begins at the top again: some 50 ns for each function on it. For what is rare.
func inside() bool {
	for skip, size := 1, 32; ; skip, size = skip+size, 2*size {
		pcs := make([]uintptr, size)
		n := runtime.Callers(skip, pcs)
		for _, pc := range pcs[:n] {
			if f := runtime.FuncForPC(pc - 1); f != nil && (f.Entry() == strandEntry || f.Entry() == workerEntry) {
				return true
			}
		}
		if n < size {
			return false
		}
	}
}
