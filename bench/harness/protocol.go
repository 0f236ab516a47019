package harness

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// The protocol between the benchmark program and a variant's process; peers in other languages speak it
// as well, so it is kept to lines.
//
//	parent -> child   one line on stdin: {"rep":N}, N from 1. It asks for one repetition. A child need not
//	                  read what the line says.
//	child -> parent   one line on stdout: {"ms":61.2,"count":15333862}
//	                  or, in place of it, {"error":"what went wrong"}
//	                  before it, any number of {"note":"a line for the user's stderr"}
//	end of stdin      the child ends with status 0
//
// Nothing else may be written to stdout; stderr is free, its end is quoted when the child fails.

// request asks for one repetition.
type request struct {
	Rep int `json:"rep"`
}

// answer is the child's line. Millis is a pointer so that an answer without it is told from 0 ms.
type answer struct {
	Millis *float64           `json:"ms,omitempty"`
	Count  int64              `json:"count,omitempty"`
	RSSKiB int64              `json:"rss_kib,omitempty"`
	Values map[string]float64 `json:"values,omitempty"`
	Error  string             `json:"error,omitempty"`
	Note   string             `json:"note,omitempty"` // alone
}

// maxLine bounds a line of the protocol, in bytes; picked, an answer has some hundred.
const maxLine = 1 << 20

var errNoMillis = errors.New(`no "ms" above zero in the answer`)

// parseAnswer reads a child's line, which is a note if that is not empty.
func parseAnswer(line []byte) (_ Repetition, note string, _ error) {
	var a answer
	d := json.NewDecoder(bytes.NewReader(line))
	if err := d.Decode(&a); err != nil {
		return Repetition{}, "", fmt.Errorf("answered %q, which is no JSON object of the protocol: %w", clip(line), err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Repetition{}, "", fmt.Errorf("answered %q: more than one JSON object in a line", clip(line))
	}
	if a.Note != "" {
		return Repetition{}, a.Note, nil
	}
	if a.Error != "" {
		return Repetition{}, "", fmt.Errorf("reported: %s", a.Error)
	}
	if a.Millis == nil || !(*a.Millis > 0) {
		return Repetition{}, "", fmt.Errorf("answered %q: %w", clip(line), errNoMillis)
	}
	return Repetition{Millis: *a.Millis, Count: a.Count, RSSKiB: a.RSSKiB, Values: a.Values}, "", nil
}

// clip keeps the start of a line that is to be quoted in an error.
func clip(line []byte) []byte {
	const most = 200
	if len(line) <= most {
		return line
	}
	return append(append([]byte{}, line[:most]...), "..."...)
}

// teller writes a child's lines.
type teller struct{ lines *json.Encoder }

func newTeller(out io.Writer) teller { return teller{json.NewEncoder(out)} }

// note is best effort: a parent that no longer reads is noticed by the answer.
func (t teller) note(line string) { _ = t.lines.Encode(answer{Note: line}) }

// serve is the child's end of the protocol: it answers each line of in with one repetition, until in ends.
// The first repetition that fails is answered with its error and ends the child with that error.
func serve(in io.Reader, out teller, repeat Repeat) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		rep, err := repeat()
		if err != nil {
			if told := out.lines.Encode(answer{Error: err.Error()}); told != nil {
				return fmt.Errorf("answering: %w", told)
			}
			return err
		}
		if rep.RSSKiB == 0 {
			rep.RSSKiB = PeakRSSKiB()
		}
		a := answer{Millis: &rep.Millis, Count: rep.Count, RSSKiB: rep.RSSKiB, Values: rep.Values}
		if err := out.lines.Encode(a); err != nil {
			return fmt.Errorf("answering: %w", err)
		}
	}
	return lines.Err()
}
