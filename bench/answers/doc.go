// Package answers is the benchmark of futures: what it costs to ask another actor and to wait for the answer in each way
// that package futures offers, beside a round trip over Go's channels.
package answers
