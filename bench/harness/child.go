package harness

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
)

// serve is the child's end of the protocol: it answers each line of in with one repetition, until in ends.
// The first repetition that fails is answered with its error and ends the child with that error.
func serve(in io.Reader, out io.Writer, repeat Repeat) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	answers := json.NewEncoder(out)
	for lines.Scan() {
		rep, err := repeat()
		if err != nil {
			if told := answers.Encode(answer{Error: err.Error()}); told != nil {
				return fmt.Errorf("answering: %w", told)
			}
			return err
		}
		if rep.RSSKiB == 0 {
			rep.RSSKiB = PeakRSSKiB()
		}
		a := answer{Millis: &rep.Millis, Count: rep.Count, RSSKiB: rep.RSSKiB, Values: rep.Values}
		if err := answers.Encode(a); err != nil {
			return fmt.Errorf("answering: %w", err)
		}
	}
	return lines.Err()
}
