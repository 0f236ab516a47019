// Package promises is `encorert bench promises`: it measures what the project promises and says what is kept.
//
// table.go is the list of promises, as data; a promise names a workload's invocation, a field of its JSON and a bound.
// check.go measures each invocation once, however many promises read it, and those of missed promises a second time
// with more repetitions: on a machine that others use as well, a miss may be theirs. verdict.go judges, report.go and
// command.go are what the user sees.
package promises
