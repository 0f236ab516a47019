// Package harness runs benchmarks: every variant of a workload in a process of its own, repetitions
// interleaved, results with their spread and an interval for each difference.
//
// Terms: a workload (gcbench) is one job; a variant (encorert, go, bump, java-g1) is one way to do it; a
// repetition does the job once; a round is one repetition of every variant, in order: A B C, A B C, ...
// Rounds are what makes differences paired: what disturbs the machine for some seconds disturbs all
// variants of a round alike.
//
// Why processes: a variant that shared its process with others would share their memory figures, their
// collector's pacing and their heat. Why they live for the whole invocation: times are to be warm, and a
// virtual machine needs some repetitions until it is.
//
// Reading order: workload.go (what a workload states), players.go (which function plays a variant), protocol.go
// (what parent and child say to each other, and the child's end), process.go (the parent's end), run.go (the rounds), report.go, command.go,
// usage.go; package stats beside it has the statistics.
//
// Not done on purpose: no calibration of iteration counts as testing.B does (a repetition is the whole
// job), no removal of outliers (median, minimum and spread are printed instead).
package harness
