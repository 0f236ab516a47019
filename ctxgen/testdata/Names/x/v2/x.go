// Package x lives under a version.
package x

// Y is a type.
type Y []byte
