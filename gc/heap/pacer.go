package heap

// pacer says when a heap is collected, when in full, and how much free memory it keeps. It is a function of counters and
// of nothing else: no clock, no state of the machine. Embedded in Heap; Owner: as Heap.
//
// A nursery is what is handed out between two collections. It starts small, so that a hundred thousand small heaps stay
// small, and doubles with each collection; who hands out more than that between two safepoints is busy already, and gets as
// much at once. A full collection is due when the old generation has doubled since the last one, so that over the life of a
// heap full collections mark at most two bytes for each byte that grew old, however large the heap is.
//
// Minor collections are worth their while where most objects die young. In a large heap where they do not, each object would be
// marked when it grows old, and what is old all the same when that has doubled. So after a minor collection that most survive,
// the heap hands out at once what is left until then, and the next collection is the full one; the one after that is minor
// again, and tells whether times have changed. No more memory is held than otherwise.
type pacer struct {
	allocated uintptr // bytes handed out since the last collection
	trigger   uintptr // a collection is due when allocated has reached it

	old      uintptr // bytes of old objects, those that died since the last full collection included
	oldFloor uintptr // bytes of old objects after the last full collection
	long     bool    // the present cycle lasts until a full collection is due
}

// largeHeap is how many nurseries of old objects a heap has that need not do minor collections (picked: its full ones take
// several times as long as those may).
const largeHeap = 8

// firstTrigger is the number of bytes that a new heap hands out before its first collection; it doubles from there to
// the nursery's size. An actor that allocates little never holds a nursery (picked: one block).
const firstTrigger = BlockSize

// pace is what the pacer of a heap is told of the Space.
type pace struct {
	nursery uintptr // the most that is handed out between two collections
	always  bool    // every safepoint collects
	pressed bool    // memory is short
}

// cap bounds a trigger.
func (p pace) cap(trigger uintptr) uintptr {
	if p.always {
		return 0
	}
	return min(trigger, p.nursery)
}

// start returns the pacer of a new heap.
func (p pace) start() pacer { return pacer{trigger: p.cap(firstTrigger)} }

// Due tells whether a collection is due. Cheap; inlines.
func (p *pacer) Due() bool { return p.allocated >= p.trigger }

// fullDue tells whether the old generation has doubled. Small heaps wait until it is worth four nurseries of their size. Where
// memory is short an eighth more is enough: the garbage in it may be all that stands in the way.
func (p *pacer) fullDue(with pace) bool {
	if with.pressed && p.old >= p.oldFloor+max(p.oldFloor/8, firstTrigger) {
		return true
	}
	return p.long || p.old >= max(2*p.oldFloor, 4*p.trigger, 4*firstTrigger)
}

// after returns the pacer after a collection in which survived bytes grew old.
func (p pacer) after(with pace, survived uintptr, full bool) pacer {
	if full {
		p.old, p.oldFloor = survived, survived
	} else {
		p.old += survived
	}
	most := survived > p.allocated/4*3
	p.long = false
	switch {
	case with.pressed, with.always:
		p.trigger = with.cap(firstTrigger)
	case !full && most && p.old >= largeHeap*with.nursery && p.old+2*with.nursery < 2*p.oldFloor:
		p.trigger, p.long = 2*p.oldFloor-p.old, true
	default:
		p.trigger = with.cap(max(2*p.trigger, p.allocated))
	}
	p.allocated = 0
	return p
}

// reserve is how many free bytes a heap keeps for its next cycle.
func (p *pacer) reserve() uintptr { return max(p.trigger, firstTrigger) }
