package versus

import (
	"fmt"
	"io"

	"github.com/encorert/encorert/bench/harness"
	"github.com/encorert/encorert/bench/stats"
)

// report is the JSON object. Pointers are nil, and left out, where the variant that they come from did not run.
type report struct {
	harness.Head

	Nanos      *float64 `json:"ns,omitempty"`
	ChanNanos  *float64 `json:"goroutines_chan_ns,omitempty"`
	MutexNanos *float64 `json:"goroutines_mutex_ns,omitempty"`

	Rate      *float64 `json:"msgs_per_s,omitempty"`
	ChanRate  *float64 `json:"goroutines_chan_msgs_per_s,omitempty"`
	MutexRate *float64 `json:"goroutines_mutex_msgs_per_s,omitempty"`

	RatioChan  *float64 `json:"ratio_vs_goroutines_chan,omitempty"`
	RatioMutex *float64 `json:"ratio_vs_goroutines_mutex,omitempty"`

	title, piece string
	order        []string
}

// fields end the description of each workload.
var fields = map[Form]string{
	Nanos: `
  ns                                            encorert
  goroutines_chan_ns, goroutines_mutex_ns       the other variants
` + commonFields,
	Rate: `
  msgs_per_s                                    encorert
  goroutines_chan_msgs_per_s                    the other variants
  goroutines_mutex_msgs_per_s
` + commonFields,
}

const commonFields = `  ratio_vs_goroutines_chan                      time of goroutines-chan over that of encorert, higher is better
  ratio_vs_goroutines_mutex                     time of goroutines-mutex over that of encorert
  variants                                      by name: median_ns, min_ns, max_ns, spread_pct, rss_mb, and
                                                slower, the paired difference to the first one (mean_ns, low_ns, high_ns)
  unit, samples                                 "ns", and by variant those of each counted repetition
  machine                                       cpu, cores, gomaxprocs, memory_mb, os, arch, kernel, go, settings
A field whose variant did not run is left out, and so is what the system does not tell.`

func newReport(name, title, piece string, form Form, common harness.Common, res *harness.Results) *report {
	r := &report{Head: harness.NewHead(name, common, res, harness.NanosEach), title: title, piece: piece, order: res.Order}
	actors, channel, mutex := r.Median(Actors), r.Median(Chan), r.Median(Mutex)
	if form == Nanos {
		r.Nanos, r.ChanNanos, r.MutexNanos = actors, channel, mutex
	} else {
		r.Rate, r.ChanRate, r.MutexRate = rate(actors), rate(channel), rate(mutex)
	}
	r.RatioChan, r.RatioMutex = harness.Quotient(channel, actors), harness.Quotient(mutex, actors)
	return r
}

// rate is pieces per second where each takes nanos.
func rate(nanos *float64) *float64 {
	if nanos == nil || *nanos == 0 {
		return nil
	}
	v := stats.Round(1e9 / *nanos, 0)
	return &v
}

// Table prints the report for people.
func (r *report) Table(w io.Writer) error {
	fmt.Fprintf(w, "%s, %s, %s, %s of each variant; ns for each %s\n\n",
		r.Workload, r.title, harness.Counted(r.Workers, "worker"), harness.Counted(r.Runs, "run"), r.piece)
	if err := r.Head.Table(w, r.order); err != nil {
		return err
	}
	fmt.Fprintln(w)
	for _, line := range []struct {
		rate *float64
		name string
	}{{r.Rate, Actors}, {r.ChanRate, Chan}, {r.MutexRate, Mutex}} {
		if line.rate != nil {
			fmt.Fprintf(w, "%-16s %6.1f million messages a second\n", line.name, *line.rate/1e6)
		}
	}
	if r.RatioChan != nil {
		fmt.Fprintf(w, "%.2f times as fast as goroutines with channels\n", *r.RatioChan)
	}
	if r.RatioMutex != nil {
		fmt.Fprintf(w, "%.2f times as fast as goroutines with mutexes\n", *r.RatioMutex)
	}
	return nil
}
