// Package contend is the benchmark of actors that take one lock again and again: do the workers wake each other more
// than they work? After rust-lang/rust#11325, where eight tasks were a thousand times slower than one.
package contend
