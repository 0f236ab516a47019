// Package dispatch is the benchmark of package internal/gang: what it costs to hand a job to two participants, if the
// caller is one of them, and if it only wakes the two and sleeps. After OpenJDK's JDK-8321242, where letting the
// caller take part made a dispatch 5 times as fast.
package dispatch
