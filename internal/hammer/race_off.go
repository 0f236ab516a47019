//go:build !race

package hammer

// Race says whether the race detector is on, under which everything takes many times as long.
const Race = false
