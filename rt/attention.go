package rt

// The bits of worker.attention. Whoever wants something of a worker sets a bit with Or; the worker takes them all with one
// Swap at its next boundary and does what they say: after a message, when a strand was parked, and before it searches.
//
//	bit   | set by                         | taken by                      | what it asks for
//	------+--------------------------------+-------------------------------+--------------------------------------
//	asked | the monitor, once a tick       | the worker, at a boundary     | a sign of life: that the bit is gone
const attentionAsked uint32 = 1 << iota

// heed does what others have asked for. Called at a boundary where attention was not 0.
func (w *worker) heed() {
	w.attention.Swap(0) // pairs with the Or of whoever asked: a bit that is set later stays for the next boundary
}
