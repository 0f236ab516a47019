package rt

import (
	"reflect"
	"strings"
	"unsafe"

	"github.com/encorert/encorert/internal/runq"
)

// Doors for the tests of sleeping and waking: each puts one function into one place where work can land.

func readyRoot(f func(cctx **Ctx)) *root {
	r := &root{f: f, done: make(chan error, 2)}
	r.typ = &doType
	r.box.Init()
	r.box.Claim()
	r.box.PushLocal(nil, Message{B: &runDo, P1: unsafe.Pointer(r)})
	return r
}

// Inject is a Do that does not wait.
func (rt *Runtime) Inject(f func(cctx **Ctx)) (done <-chan error) {
	r := &root{f: f, done: make(chan error, 2)}
	rt.start(r, &doType, &runDo)
	return r.done
}

// AnyInjected says whether something waits in the inject queue.
func (rt *Runtime) AnyInjected() bool { return !rt.inject.Empty() }

// Pin has worker number w run f.
func (rt *Runtime) Pin(w int, f func(cctx **Ctx)) (done <-chan error) {
	r := readyRoot(f)
	rt.pin(&r.Actor, w)
	return r.done
}

// HandOver puts f where worker w finds what was there last.
func (rt *Runtime) HandOver(w int, f func(cctx **Ctx)) (done <-chan error) {
	r := readyRoot(f)
	rt.handOver([]*Actor{&r.Actor}, w)
	return r.done
}

// Share puts f where other workers steal.
func Share(ctx *Ctx, f func(cctx **Ctx)) (done <-chan error) {
	r := readyRoot(f)
	ctx.worker.share(&r.Actor)
	return r.done
}

// LookAway ends the monitor, which would mend what a test wants to see.
func (rt *Runtime) LookAway() {
	rt.monitor.mu.Lock()
	defer rt.monitor.mu.Unlock()
	rt.monitor.over = true
}

// LotCounts reports how many workers sleep and search.
func (rt *Runtime) LotCounts() (sleeping, searching int) {
	return rt.lot.Sleeping(), rt.lot.Searching()
}

// Notice wakes somebody for nothing: worker w, or below 0 the one who slept last. It reports whether anybody slept.
func (rt *Runtime) Notice(w int) bool {
	if w < 0 {
		return rt.lot.WakeOne()
	}
	return rt.lot.WakeWorker(w)
}

// SetSearchRounds sets how often a searcher goes round. REQUIRES: all workers sleep.
func (rt *Runtime) SetSearchRounds(n int) { rt.searchRounds = n }

// HasInjected reports whether something waits in the inject queue.
func (rt *Runtime) HasInjected() bool { return !rt.inject.Empty() }

// QueueFields names every field of the runtime and of a worker that is a run queue, or holds some.
func QueueFields() (names []string) {
	pkg := reflect.TypeFor[runq.Inject[Actor]]().PkgPath()
	for _, owner := range []reflect.Type{reflect.TypeFor[Runtime](), reflect.TypeFor[worker]()} {
		for i := range owner.NumField() {
			f := owner.Field(i)
			t := f.Type
			for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Array {
				t = t.Elem()
			}
			if t.PkgPath() == pkg {
				names = append(names, strings.ToLower(owner.Name())+"."+f.Name)
			}
		}
	}
	return names
}
