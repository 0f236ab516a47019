package harness

import (
	"fmt"
	"io"
	"os"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// isTerminal reports whether w is a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// progress draws a bar over the repetitions on a terminal, and prints notes wherever it writes to. Its errors
// are those of a terminal that went away: not worth ending a measurement for.
type progress struct {
	w   io.Writer
	bar *progressbar.ProgressBar // nil: w is no terminal
	at  int
}

func newProgress(w io.Writer, steps int) *progress {
	if !isTerminal(w) {
		return &progress{w: w}
	}
	return &progress{w: w, bar: progressbar.NewOptions(steps,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetWidth(30),
		progressbar.OptionShowCount(),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionSetElapsedTime(true),
		progressbar.OptionSetPredictTime(true),
	)}
}

// step says that a repetition of variant begins; it is a Runner's Step.
func (p *progress) step(variant string) {
	if p.bar == nil {
		return
	}
	p.bar.Describe(variant)
	_ = p.bar.Set(p.at)
	p.at++
}

// note prints a line of a variant; it is a Runner's Note.
func (p *progress) note(variant, line string) {
	p.done()
	fmt.Fprintf(p.w, "%s: %s\n", variant, line)
}

// done removes the bar, until the next step.
func (p *progress) done() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}
