//go:build race

package gc_test

const raceEnabled = true
