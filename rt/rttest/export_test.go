package rttest

import "time"

// HangAfter sets how long a runtime must have stood still, and returns what sets it back.
func HangAfter(d time.Duration) (restore func()) {
	before := hangAfter
	hangAfter = d
	return func() { hangAfter = before }
}
