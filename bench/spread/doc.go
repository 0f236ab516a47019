// Package spread measures how a runtime spreads work over its workers: one actor starts many that compute, all in
// one behaviour, and the time that the workers were not busy with them is what was lost.
package spread

//go:generate go tool encorert gen
