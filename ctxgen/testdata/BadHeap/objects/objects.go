// Package objects has fields that no object can have.
package objects

import (
	"time"
	"unsafe"

	"github.com/encorert/encorert/futures"
	"github.com/encorert/encorert/gc"
	"github.com/encorert/encorert/rt"
)

type plain struct{ x int }

type linked struct{ n *good }

//encore:actor
type actor struct{}

//encore:object
type good struct {
	next *good
	data gc.Slice[byte]
}

//encore:object
type bad struct {
	text    string
	list    []int
	table   map[int]int
	f       func()
	events  chan int
	any     any
	err     error
	plain   *plain
	number  *int
	handle  Actor
	future  futures.Future[int]
	ctx     *rt.Ctx
	cell    rt.Ctx
	address unsafe.Pointer
	value   good
	time    time.Time
	array   [3]string
	inner   linked
	matrix  [2][2]*good
	*plain2
}

type plain2 struct{}

//encore:object
type clash struct {
	next *clash
	n    int
}

func (c *clash) setNext() {}

func (c *clash) setN() {}

//encore:object
type many struct{ kids [2000]*many }
