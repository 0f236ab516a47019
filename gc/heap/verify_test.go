package heap

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// TestVerifyFindsFaults: each kind of damage is reported. The damage is real, so nothing is collected afterwards.
func TestVerifyFindsFaults(t *testing.T) {
	var local node
	for name, test := range map[string]struct {
		damage func(a *actor, p *node)
		want   string
	}{
		"nothing":         {func(a *actor, p *node) {}, ""},
		"no type":         {func(a *actor, p *node) { *headerOf(unsafe.Pointer(p)) = 0xFFFFFF << 32 }, "names no type"},
		"no header":       {func(a *actor, p *node) { *headerOf(unsafe.Pointer(p)) = 0 }, "names no type"},
		"unknown flag":    {func(a *actor, p *node) { *headerOf(unsafe.Pointer(p)) |= 1 << 17 }, "unknown flags"},
		"forwarded":       {func(a *actor, p *node) { *headerOf(unsafe.Pointer(p)) |= flagForwarded }, "unknown flags"},
		"not logged":      {func(a *actor, p *node) { store(unsafe.Pointer(&p.a), unsafe.Pointer(a.new(nil, nil))) }, "only through unlogged old"},
		"no barrier flag": {func(a *actor, p *node) { *headerOf(unsafe.Pointer(p)) &^= FlagOld }, "neither or both"},
		"dead":            {func(a *actor, p *node) { *headerOf(unsafe.Pointer(p)) ^= flagsMark }, "died in an earlier collection"},
		"line":            {func(a *actor, p *node) { clear(a.h.mem.avail[0].marks()) }, "its line"},
		"poisoned":        {func(a *actor, p *node) { poison(unsafe.Add(unsafe.Pointer(p), -HeaderSize), nodeSize) }, "was freed and poisoned"},
		"Go's heap": {func(a *actor, p *node) {
			set(a.h, p, &p.a, &local)
		}, "no memory of this heap|outside the arena"},
		"other heap": {func(a *actor, p *node) { set(a.h, p, &p.a, a.sibling().new(nil, nil)) }, "no memory of this heap"},
		"unaligned": {func(a *actor, p *node) {
			a.h.Log(unsafe.Pointer(p))
			store(unsafe.Pointer(&p.a), unsafe.Add(unsafe.Pointer(p), 4))
		}, "not aligned"},
		"inside": {func(a *actor, p *node) {
			inside := unsafe.Add(unsafe.Pointer(p), unsafe.Offsetof(p.id)+HeaderSize)
			*(*node)(inside) = node{}
			*headerOf(inside) = nodeType.Header() | flagLogged | a.h.epoch
			set(a.h, p, &p.b, (*node)(inside))
		}, "overlap"},
		"ahead": {func(a *actor, p *node) {
			next := unsafe.Add(a.c.Base, a.c.Off)
			*(*uint64)(next) = nodeType.Header()
			*(*node)(unsafe.Add(next, HeaderSize)) = node{}
			set(a.h, p, &p.a, (*node)(unsafe.Add(next, HeaderSize)))
		}, "still to be handed out"},
		"large":   {func(a *actor, p *node) { *headerOf(unsafe.Pointer(p)) |= flagLarge }, "large, or in a span"},
		"too big": {func(a *actor, p *node) { *headerOf(unsafe.Pointer(p)) = boardType.Header() | a.h.epoch | FlagOld }, "runs out of its chunk"},
		"log":     {func(a *actor, p *node) { a.h.logged = append(a.h.logged, uintptr(unsafe.Pointer(p))) }, "in the remembered set has header"},
		"young flagged old": {func(a *actor, p *node) {
			q := a.new(nil, nil)
			*headerOf(unsafe.Pointer(q)) |= FlagOld
			set(a.h, p, &p.a, q)
		}, "young, and flagged as old"},
	} {
		t.Run(name, func(t *testing.T) {
			a := newActor(t, Config{})
			p := a.new(nil, nil)
			a.roots = []*node{p}
			a.collect()
			a.new(nil, nil)
			test.damage(a, p)
			err := a.h.Verify(&a.c, a.trace)
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			require.Error(t, err)
			require.Regexp(t, test.want, err.Error())
		})
	}
}

func TestVerifyAfterCollection(t *testing.T) {
	a := newActor(t, Config{Verify: true})
	p := a.new(nil, nil)
	a.roots = []*node{p}
	a.collect()
	store(unsafe.Pointer(&p.a), unsafe.Pointer(a.new(nil, nil))) // without the barrier
	require.Panics(t, a.collect, "a lost object is found by the next collection")
}

func TestPoisonShowsFreedObjects(t *testing.T) {
	a := newActor(t, Config{Poison: true})
	a.roots = []*node{a.new(nil, nil)}
	lost := a.list(50)
	last := lost
	a.collect()
	require.Equal(t, poisonWord, header(last))
	a.roots = append(a.roots, last)
	require.ErrorContains(t, a.h.Verify(&a.c, a.trace), "was freed and poisoned")
}

func TestFreshMemoryIsPoisoned(t *testing.T) {
	a := newActor(t, Config{Poison: true})
	p := (*node)(allocate(a.h, &a.c, nodeSize, nodeType.Header())) // a constructor that forgets its fields
	a.roots = []*node{p}
	require.ErrorContains(t, a.h.Verify(&a.c, a.trace), "refers to 0x"+"dbdbdbdb")
}
