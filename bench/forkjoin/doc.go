// Package forkjoin measures how cheap it is to fork a computation and to join it: Fibonacci numbers by recursion, each call
// of which forks one of its two parts, as tasks, as actors with futures, and as goroutines.
package forkjoin
