// Package tasks measures the table of tasks by id: the ring that the runtime uses (internal/ring), and a map under a lock
// that does the same. It is the comparison of Celerity's pull request 107, where a locked map became a ring.
package tasks
