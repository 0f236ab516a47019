// Package gcbench is the GCBench of Hans Boehm, with Pete Kovac and John Ellis (1997-2000), as actors on
// encorert's heap, and the same job in other ways beside it.
//
// The job: a tree of depth 18 is built and dropped, to stretch the heap; a tree of depth 16 and an array of
// 500,000 doubles are built and kept; then short-lived trees of depth 4, 6, ... 16 are built and dropped, for
// each depth as many as have twice the nodes of the stretch tree, first top-down (Populate: parents before
// children) and then as often bottom-up (MakeTree). At the end the long-lived tree and the array are checked.
//
// One thing is added to the original: each node is counted where it is constructed, by an increment, in every
// variant, so that a variant whose compiler removed the work fails. Short-lived trees are not traversed, and
// the check at the end is not timed; both as in the original.
//
// Variants: encorert (actor.go), go and go-memlimit (plaingo.go), bump (bump.go); peers in other languages
// (peers.go and the folder peers).
package gcbench

//go:generate go tool encorert gen
