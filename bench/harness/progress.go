package harness

import (
	"io"
	"os"
	"sync"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// isTerminal reports whether w is a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// progress draws a bar over steps repetitions on w if w is a terminal, and nothing otherwise. The function
// it returns is a Runner's Step; done removes the bar, and may be called more than once.
func progress(w io.Writer, steps int) (step func(variant string), done func()) {
	if !isTerminal(w) {
		return func(string) {}, func() {}
	}
	bar := progressbar.NewOptions(steps,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetWidth(30),
		progressbar.OptionShowCount(),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionSetElapsedTime(true),
		progressbar.OptionSetPredictTime(true),
	)
	// The bar's errors are those of a terminal that went away: not worth ending a measurement for.
	at := 0
	step = func(variant string) {
		bar.Describe(variant)
		_ = bar.Set(at)
		at++
	}
	return step, sync.OnceFunc(func() { _ = bar.Clear() })
}
