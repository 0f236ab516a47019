// Package runq holds actors that are ready to run: one worker's private queue, its shared queue that others steal
// from, and the inject queue for what comes from outside or did not fit.
//
// The element type is a parameter, so that this package knows nothing of actors.
package runq
