package tasks

import (
	"fmt"
	"io"

	"github.com/urfave/cli/v3"

	"github.com/encorert/encorert/bench/harness"
)

const name = "tasks"

// Names of the variants.
const (
	variantRing       = "ring"
	variantMap        = "map"
	variantRingAccess = "ring-access"
	variantMapAccess  = "map-access"
)

// Workload is tasks for the benchmark program.
func Workload() harness.Workload {
	return harness.Workload{
		Name:        name,
		Summary:     "the table of tasks by id: a ring, and a locked map",
		Description: description,
		Flags:       flags,
		Plan:        plan,
		Child:       players.Child,
	}
}

const description = `One goroutine generates tasks in a table by id, 256 at a time, ends them, and so deletes them: they are freed when an epoch
behind them is reached, which there is after each 512. The ring is the one that the runtime has its tasks in; the map is Go's, under a lock.

Variants:
  ring, map                  alone
  ring-access, map-access    while another goroutine looks up tasks by id, as fast as it can

--json prints, as medians of the counted repetitions:
  workload, workers, runs, flags     what was run; the flag is tasks
  ring_ms, map_ms                    the variants
  ring_access_ms, map_access_ms
  ratio                              map_ms / ring_ms
  access_ratio                       map_access_ms / ring_access_ms
  ring_look_ups, map_look_ups        look-ups in a repetition of the variants with them
  variants                           by name: median_ms, min_ms, max_ms, spread_pct, rss_mb, and
                                     slower, the paired difference to the first one (mean_ms, low_ms, high_ms)
  unit, samples                      "ms", and by variant those of each counted repetition
  machine                            cpu, cores, gomaxprocs, memory_mb, os, arch, kernel, go, settings
A field whose variant did not run is left out, and so is what the system does not tell.`

func flags() []cli.Flag {
	return []cli.Flag{&cli.IntFlag{Name: "tasks", Value: 200_000, Usage: "tasks of a repetition"}}
}

// params is what a child gets.
type params struct {
	Tasks int `json:"tasks"`
}

const mostTasks = 1_000_000_000 // picked

func plan(cmd *cli.Command, common harness.Common) (*harness.Plan, error) {
	p := params{Tasks: cmd.Int("tasks")}
	if p.Tasks < 1 || p.Tasks > mostTasks {
		return nil, fmt.Errorf("--tasks must be between 1 and %d", mostTasks)
	}
	plan := &harness.Plan{Report: func(res *harness.Results) (harness.Report, error) { return newReport(p, common, res), nil }}
	for _, v := range []string{variantRing, variantMap, variantRingAccess, variantMapAccess} {
		plan.Variants = append(plan.Variants, harness.Variant{
			Name: v, Count: int64(p.Tasks), Launch: harness.Self(name, v, common.Workers, p),
		})
	}
	return plan, nil
}

var players = harness.Players[params]{
	variantRing:       func(p params) harness.Repeat { return repeat(p, newRingTable, false) },
	variantMap:        func(p params) harness.Repeat { return repeat(p, newMapTable, false) },
	variantRingAccess: func(p params) harness.Repeat { return repeat(p, newRingTable, true) },
	variantMapAccess:  func(p params) harness.Repeat { return repeat(p, newMapTable, true) },
}

// report is the JSON object. Pointers are nil, and left out, where the variant that they come from did not run.
type report struct {
	harness.Head
	Ring        *float64 `json:"ring_ms,omitempty"`
	Map         *float64 `json:"map_ms,omitempty"`
	RingAccess  *float64 `json:"ring_access_ms,omitempty"`
	MapAccess   *float64 `json:"map_access_ms,omitempty"`
	Ratio       *float64 `json:"ratio,omitempty"`
	AccessRatio *float64 `json:"access_ratio,omitempty"`
	RingLookUps *float64 `json:"ring_look_ups,omitempty"`
	MapLookUps  *float64 `json:"map_look_ups,omitempty"`

	params params
	order  []string
}

func newReport(p params, common harness.Common, res *harness.Results) *report {
	r := &report{Head: harness.NewHead(name, common, res, harness.Millis), params: p, order: res.Order}
	r.Ring, r.Map = r.Median(variantRing), r.Median(variantMap)
	r.RingAccess, r.MapAccess = r.Median(variantRingAccess), r.Median(variantMapAccess)
	r.Ratio, r.AccessRatio = harness.Quotient(r.Map, r.Ring), harness.Quotient(r.MapAccess, r.RingAccess)
	r.RingLookUps = res.Figure(variantRingAccess, valueLookUps, 0)
	r.MapLookUps = res.Figure(variantMapAccess, valueLookUps, 0)
	return r
}

// Table prints the report for people.
func (r *report) Table(w io.Writer) error {
	fmt.Fprintf(w, "tasks, %s, %s of each variant\n\n", harness.Counted(r.params.Tasks, "task"), harness.Counted(r.Runs, "run"))
	if err := r.Head.Table(w, r.order); err != nil {
		return err
	}
	fmt.Fprintln(w)
	if r.Ratio != nil {
		fmt.Fprintf(w, "the ring is %.2f times as fast as the map\n", *r.Ratio)
	}
	if r.AccessRatio != nil {
		fmt.Fprintf(w, "and %.2f times while others look up\n", *r.AccessRatio)
	}
	return nil
}
