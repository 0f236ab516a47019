package answers

import (
	"fmt"
	"io"

	"github.com/urfave/cli/v3"

	"github.com/encorert/encorert/bench/harness"
)

const name = "futures"

// Names of the variants.
const (
	variantGet     = "get"
	variantAwait   = "await"
	variantSuspend = "suspend"
	variantChain   = "chain"
	variantAsk     = "ask"
	variantChan    = "goroutines-chan"
)

// Workload is the benchmark of futures for the benchmark program.
func Workload() harness.Workload {
	return harness.Workload{
		Name:        name,
		Summary:     "round trips by get, await, suspend and chain, beside one over channels",
		Description: description,
		Flags:       flags,
		Plan:        plan,
		Child:       players.Child,
	}
}

const description = `An actor asks another one, which adds a number and answers, and waits for the answer before it asks again.

Variants:
  get               the actor stops until the answer is there
  await             the behaviour stops; others of the actor could run
  suspend           the behaviour looks for the answer, and lets others run as long as it is not there
  chain             a function is chained on the answer, and its result awaited: three messages
  ask               100 questions at a time, and then 100 gets: the cost of one
  goroutines-chan   a goroutine asks another over its channel; one channel for all answers, which is cheapest

--json prints, with times as medians of the counted repetitions, for each round trip:
  workload, workers, runs, flags          what was run; the flag is round_trips
  get_ns, await_ns, suspend_ns,
  chain_ns, ask_ns, chan_roundtrip_ns     the variants
  get_ratio, await_ratio                  chan_roundtrip_ns over get_ns and await_ns, higher is better
  variants                                by name: median_ns, min_ns, max_ns, spread_pct, rss_mb, and
                                          slower, the paired difference to the first one (mean_ns, low_ns, high_ns)
  unit, samples                           "ns", and by variant those of each counted repetition
  machine                                 cpu, cores, gomaxprocs, memory_mb, os, arch, kernel, go, settings
A field whose variant did not run is left out, and so is what the system does not tell.`

func flags() []cli.Flag {
	return []cli.Flag{&cli.IntFlag{Name: "round-trips", Value: 300_000, Usage: "round trips of a repetition"}}
}

// params is what a child gets.
type params struct {
	Trips   int `json:"round_trips"`
	Workers int `json:"workers"`
}

const mostTrips = 1_000_000_000 // picked

func plan(cmd *cli.Command, common harness.Common) (*harness.Plan, error) {
	p := params{Trips: cmd.Int("round-trips"), Workers: common.Workers}
	if p.Trips < 1 || p.Trips > mostTrips {
		return nil, fmt.Errorf("--round-trips must be between 1 and %d", mostTrips)
	}
	plan := &harness.Plan{Report: func(res *harness.Results) (harness.Report, error) { return newReport(p, common, res), nil }}
	for _, v := range []string{variantGet, variantAwait, variantSuspend, variantChain, variantAsk, variantChan} {
		plan.Variants = append(plan.Variants, harness.Variant{
			Name: v, Count: int64(p.Trips), Launch: harness.Self(name, v, common.Workers, p),
		})
	}
	return plan, nil
}

var players = harness.Players[params]{
	variantGet:     func(p params) harness.Repeat { return p.one(trips[variantGet]) },
	variantAwait:   func(p params) harness.Repeat { return p.one(trips[variantAwait]) },
	variantSuspend: func(p params) harness.Repeat { return p.one(trips[variantSuspend]) },
	variantChain:   func(p params) harness.Repeat { return p.one(trips[variantChain]) },
	variantAsk:     params.many,
	variantChan:    params.channels,
}

// report is the JSON object. Pointers are nil, and left out, where the variant that they come from did not run.
type report struct {
	harness.Head
	Get        *float64 `json:"get_ns,omitempty"`
	Await      *float64 `json:"await_ns,omitempty"`
	Suspend    *float64 `json:"suspend_ns,omitempty"`
	Chain      *float64 `json:"chain_ns,omitempty"`
	Ask        *float64 `json:"ask_ns,omitempty"`
	Chan       *float64 `json:"chan_roundtrip_ns,omitempty"`
	GetRatio   *float64 `json:"get_ratio,omitempty"`
	AwaitRatio *float64 `json:"await_ratio,omitempty"`

	params params
	order  []string
}

func newReport(p params, common harness.Common, res *harness.Results) *report {
	r := &report{Head: harness.NewHead(name, common, res, harness.NanosEach), params: p, order: res.Order}
	r.Get, r.Await, r.Suspend = r.Median(variantGet), r.Median(variantAwait), r.Median(variantSuspend)
	r.Chain, r.Ask, r.Chan = r.Median(variantChain), r.Median(variantAsk), r.Median(variantChan)
	r.GetRatio, r.AwaitRatio = harness.Quotient(r.Chan, r.Get), harness.Quotient(r.Chan, r.Await)
	return r
}

// Table prints the report for people.
func (r *report) Table(w io.Writer) error {
	fmt.Fprintf(w, "futures, %s, %s, %s of each variant\n\n", harness.Counted(r.params.Trips, "round trip"),
		harness.Counted(r.Workers, "worker"), harness.Counted(r.Runs, "run"))
	if err := r.Head.Table(w, r.order); err != nil {
		return err
	}
	for _, l := range []struct {
		what  string
		ratio *float64
	}{{"get", r.GetRatio}, {"await", r.AwaitRatio}} {
		if l.ratio != nil {
			fmt.Fprintf(w, "\na round trip over channels takes %v times one by %s", *l.ratio, l.what)
		}
	}
	fmt.Fprintln(w)
	return nil
}
