// Package compare tells whether results that `encorert bench <workload> --json` printed differ, and by how much: the
// difference of the means with its 95 % interval. Variants of one file ran in the same rounds, so their differences
// are paired (Student's t); two files did not (Welch's t).
//
// It is apart from package harness, and imports nothing that runs a benchmark, so that the encorert command needs
// no program to be built for it.
//
// Reading order: file.go, difference.go, report.go; parts.go for results that hold many.
package compare
