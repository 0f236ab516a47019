// Package state has actors with heap objects where no collector finds them.
package state

import (
	"container/list"

	"github.com/encorert/encorert/rt"
)

//encore:object
type node struct{ next *node }

type holder struct {
	name string
	deep []map[string]*holder
	n    *node
}

//encore:actor
type actor struct {
	value    node
	values   []node
	behind   *holder
	channel  chan *node
	pointers []**node
	inner    struct{ h map[int]*holder }
	cell     **rt.Ctx
	cells    map[string]chan []**rt.Ctx
	request  *request
	runtime  *rt.Runtime
	fine     list.List
	good     map[*node][]holder2
}

type request struct {
	next *request
	ctx  *rt.Ctx
}

type holder2 struct{ n *node }
