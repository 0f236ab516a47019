package gcbench

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/encorert/encorert/bench/harness"
	"github.com/encorert/encorert/bench/stats"
)

// report is the JSON object of this workload. Pointers are nil, and left out, where the variant that they
// come from did not run.
type report struct {
	harness.Head
	Job
	Nodes int64 `json:"nodes"` // constructed in each repetition, by every variant

	Millis             *float64 `json:"ms,omitempty"`
	PlainGoMillis      *float64 `json:"plain_go_ms,omitempty"`
	PlainGoLimitMillis *float64 `json:"plain_go_memlimit_ms,omitempty"`
	BumpMillis         *float64 `json:"bump_ms,omitempty"`
	SpeedupVsGo        *float64 `json:"speedup_vs_go,omitempty"` // plain_go_ms / ms
	RatioVsBump        *float64 `json:"ratio_vs_bump,omitempty"` // ms / bump_ms
	OneActorMillis     *float64 `json:"one_actor_ms,omitempty"`  // with actors > 1
	Scaling            *float64 `json:"scaling,omitempty"`       // ms / one_actor_ms
	RSSMB              *float64 `json:"rss_mb,omitempty"`        // peak resident memory of encorert's process
	Collections        *float64 `json:"collections,omitempty"`   // of a repetition, all actors together
	RatioVsJava        *float64 `json:"ratio_vs_java,omitempty"` // ms / the fastest of Java's with the same memory
	PauseP95Micros     *float64 `json:"pause_p95_us,omitempty"`  // median over the repetitions
	MaxPauseMicros     *float64 `json:"max_pause_us,omitempty"`  // median of the repetitions' longest

	// Peers are the medians in ms of those that ran: nil, and left out, if none were asked for.
	Peers map[string]float64 `json:"peers,omitzero"`

	order []string
}

// Keys of harness.Repetition.Values.
const (
	valueCollections = "collections"
	valuePauseP95    = "pause_p95_us"
	valueMaxPause    = "max_pause_us"
)

// own are the variants that are no peers.
var own = []string{variantActors, variantOneActor, variantGo, variantMemlimit, variantBump}

func newReport(job Job, common harness.Common, res *harness.Results, withPeers bool) *report {
	r := &report{Head: harness.NewHead(name, common, res, harness.Millis), Job: job, Nodes: job.Nodes(), order: res.Order}
	r.Millis = r.Median(variantActors)
	r.OneActorMillis = r.Median(variantOneActor)
	r.PlainGoMillis = r.Median(variantGo)
	r.PlainGoLimitMillis = r.Median(variantMemlimit)
	r.BumpMillis = r.Median(variantBump)
	r.SpeedupVsGo = harness.Quotient(r.PlainGoMillis, r.Millis)
	r.RatioVsBump = harness.Quotient(r.Millis, r.BumpMillis)
	r.Scaling = harness.Quotient(r.Millis, r.OneActorMillis)
	if series := res.Series[variantActors]; series != nil {
		figure := func(key string) *float64 {
			v := stats.Round(stats.Median(series.Values(key)), 1)
			return &v
		}
		r.Collections = figure(valueCollections)
		r.PauseP95Micros = figure(valuePauseP95)
		r.MaxPauseMicros = figure(valueMaxPause)
		if rss := r.Variants[variantActors].RSSMB; rss != 0 {
			r.RSSMB = &rss
		}
	}
	r.RatioVsJava = harness.Quotient(r.Millis, r.fastestJava(res.Order))
	if withPeers {
		r.Peers = map[string]float64{}
		for _, name := range res.Order {
			if !slices.Contains(own, name) {
				r.Peers[name] = r.Variants[name].Median
			}
		}
	}
	return r
}

// fastestJava is the least median of Java's collectors with encorert's memory, nil if none ran.
func (r *report) fastestJava(order []string) (least *float64) {
	for _, name := range order {
		if !strings.HasPrefix(name, "java-") || !strings.HasSuffix(name, sameMemorySuffix) {
			continue
		}
		if ms := r.Median(name); least == nil || *ms < *least {
			least = ms
		}
	}
	return least
}

// Table prints the report for people.
func (r *report) Table(w io.Writer) error {
	jobs := harness.Counted(r.Actors, "job")
	if r.Actors > 1 {
		jobs += " at once"
	}
	fmt.Fprintf(w, "GCBench, %d nodes, %s, %s, %s of each variant\n\n",
		r.Nodes, jobs, harness.Counted(r.Workers, "worker"), harness.Counted(r.Runs, "run"))
	if err := r.Head.Table(w, r.order); err != nil {
		return err
	}
	fmt.Fprintln(w)
	if r.SpeedupVsGo != nil {
		fmt.Fprintf(w, "%.2f times as fast as plain Go\n", *r.SpeedupVsGo)
	}
	if r.RatioVsBump != nil {
		fmt.Fprintf(w, "%.2f times the bump allocator's time\n", *r.RatioVsBump)
	}
	if r.RatioVsJava != nil {
		fmt.Fprintf(w, "%.2f times the time of Java's fastest collector with the same memory\n", *r.RatioVsJava)
	}
	if r.Scaling != nil {
		fmt.Fprintf(w, "%d actors take %.2f times one actor's time\n", r.Actors, *r.Scaling)
	}
	if r.Collections != nil {
		fmt.Fprintf(w, "collections %.0f, pauses: 95th percentile %.0f us, median of the runs' longest %.0f us\n",
			*r.Collections, *r.PauseP95Micros, *r.MaxPauseMicros)
	}
	return nil
}
