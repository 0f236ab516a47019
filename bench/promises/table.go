package promises

import (
	"fmt"

	"github.com/encorert/encorert/bench/harness"
)

// promise is a line of the output: a figure and its bound. Promises of one name belong together (--only).
type promise struct {
	name, what string
	figure     figure
	over       *figure // if set, figure is divided by it
	bound      bound
	// exact: no noise explains a miss, so there is no second measurement.
	exact bool
	// waits is where the part will be built that the promise is of, "" for finished parts. Nothing is measured.
	waits string
}

// figure is a field of the JSON that an invocation prints.
type figure struct {
	of    run
	field string
}

// run is an invocation of a workload.
type run struct {
	workload string
	flags    string
	counted  int // --runs; twice as many if it is measured again
}

// The promises are for two workers, on whatever machine.
const twoWorkers = "--workers=2"

var (
	oneActor  = run{"gcbench", "--variants=encorert,go,bump " + twoWorkers, 10}
	twoActors = run{"gcbench", "--actors=2 --variants=encorert,encorert-one-actor " + twoWorkers, 20}
	java      = run{"gcbench", "--peers --variants=encorert,java-serial-same-memory,java-parallel-same-memory," +
		"java-g1-same-memory,java-zgc-same-memory " + twoWorkers, 5}
	eightAtOneLock = run{"contend", "--workers=8", 20}
	handOut        = run{"spread", twoWorkers, 10}
	tableOfTasks   = run{"tasks", twoWorkers, 20}
	idle           = run{"idle", "--variants=encorert " + twoWorkers, 3}
	wake           = run{"wake", "--variants=encorert " + twoWorkers, 10}
	wakeMany       = run{"wake", "--variants=encorert --injections=100000 --gap=20 --warmup=1 " + twoWorkers, 9} // a million with the warm-up
	gangs          = run{"gang", twoWorkers, 20}
	lives          = run{"spawn", twoWorkers, 10}
	wakeBusy       = run{"wake", "--variants=encorert --injections=200 --gap=1000 --self-senders=2 --warmup=1 " + twoWorkers, 4}
)

// cell is one of ubench: 7 repetitions of a quarter of a second, so that the 12 cells take a good minute.
func cell(pingers, pings, workers int) run {
	return run{"ubench", fmt.Sprintf("--pingers=%d --initial-pings=%d --workers=%d --seconds=0.25 --warmup=1", pingers, pings, workers), 7}
}

// beyond is a cell that is reported only.
func beyond(pingers, pings, workers int) run {
	r := cell(pingers, pings, workers)
	r.counted = 3
	return r
}

// waits are round trips to another actor.
func waits(workers int) run { return run{"futures", fmt.Sprintf("--workers=%d", workers), 10} }

func pingpong(workers int) run { return run{"pingpong", fmt.Sprintf("--workers=%d", workers), 10} }
func ring(workers int) run     { return run{"ring", fmt.Sprintf("--workers=%d", workers), 10} }

// all lists the promises. Times are ratios within one run wherever there is something to compare with.
func all() []promise {
	list := []promise{
		{name: "gcbench", what: "one actor: times as fast as plain Go", figure: figure{oneActor, "speedup_vs_go"}, bound: atLeast(6)},
		{name: "gcbench", what: "one actor: time over the bump allocator's", figure: figure{oneActor, "ratio_vs_bump"}, bound: atMost(1.6)},
		{name: "gcbench", what: "one actor: peak memory, MB", figure: figure{oneActor, "rss_mb"}, bound: atMost(64)},
		{name: "gcbench", what: "time over Java's fastest collector's, same memory", figure: figure{java, "ratio_vs_java"}, bound: atMost(1)},
		{name: "gcbench", what: "two actors on two workers: time over one's", figure: figure{twoActors, "scaling"}, bound: atMost(1.15)},
		{name: "gcbench", what: "pauses: 95th percentile, us", figure: figure{oneActor, "pause_p95_us"}, bound: below(1000)},
		{name: "gcbench", what: "pauses: median of the runs' longest, us", figure: figure{oneActor, "max_pause_us"}, bound: below(6000)},
	}
	list = append(list, ofHeaps()...)
	list = append(list, ofMessages()...)
	return append(list,
		promise{name: "contend", what: "eight at one lock: time of an increment over one's alone", figure: figure{eightAtOneLock, "ratio"}, bound: atMost(1.5)},
		promise{name: "spread", what: "utilisation of two workers", figure: figure{handOut, "utilisation"}, bound: atLeast(0.95)},
		promise{name: "spread", what: "time over the even split's", figure: figure{handOut, "ms"}, over: &figure{handOut, "ideal_ms"}, bound: atMost(1.3)},
		promise{name: "idle", what: "processor time while asleep, % of a core", figure: figure{idle, "cpu_pct"}, bound: below(0.5)},
		promise{name: "wake", what: "99th percentile from injection to start, us", figure: figure{wake, "p99_us"}, bound: below(200)},
		promise{name: "wake", what: "lost of 1,000,000 injections", figure: figure{wakeMany, "lost"}, bound: atMost(0), exact: true},
		promise{name: "wake", what: "beside two busy self-senders: longest wait, us", figure: figure{wakeBusy, "max_us"}, bound: below(100_000)},
		promise{name: "wake", what: "beside two busy self-senders: lost of 1,000", figure: figure{wakeBusy, "lost"}, bound: atMost(0), exact: true},

		promise{name: "gang", what: "dispatch with the caller, back to back: times workers only", figure: figure{gangs, "ratio"}, bound: atLeast(5)},
		promise{name: "gang", what: "dispatch with the caller, 50 us between: times workers only", figure: figure{gangs, "gap_ratio"}, bound: atLeast(1.3)},

		promise{name: "tasks", what: "table of tasks: times as fast as a locked map", figure: figure{tableOfTasks, "ratio"}, bound: atLeast(1.26)},
		promise{name: "tasks", what: "the same beside a goroutine that looks up", figure: figure{tableOfTasks, "access_ratio"}, bound: atLeast(4.4)},
		promise{name: "futures", what: "1 worker, get: round trip of channels over its time", figure: figure{waits(1), "get_ratio"}, bound: above(1)},
		promise{name: "futures", what: "1 worker, await: round trip of channels over its time", figure: figure{waits(1), "await_ratio"}, bound: above(1)},
		promise{name: "futures", what: "2 workers, get: round trip of channels over its time", figure: figure{waits(2), "get_ratio"}, bound: above(1)},
		promise{name: "futures", what: "2 workers, await: round trip of channels over its time", figure: figure{waits(2), "await_ratio"}, bound: above(1)},
		promise{name: "spawn", what: "an actor with a message: a goroutine's time over its time", figure: figure{lives, "ratio"}, bound: above(1)},
		promise{name: "spawn", what: "bytes of an idle actor", figure: figure{lives, "bytes_per_idle_actor"}, bound: atMost(400)},

		promise{name: "ctx", what: "refresh 11 % faster than lookup, not slower than deref", waits: "issue 6"},
	)
}

// ofMessages are the promises of throughput and latency of messages.
func ofMessages() (list []promise) {
	add := func(p promise) { list = append(list, p) }
	each := func(workers []int, f func(pingers, pings, workers int)) {
		for _, pingers := range []int{25, 250} {
			for _, pings := range []int{1, 10, 100} {
				for _, w := range workers {
					f(pingers, pings, w)
				}
			}
		}
	}
	ratios := func(of run, what string, mutex, channel bound) {
		add(promise{name: "ubench", what: what + ": times mutexes", figure: figure{of, "ratio_vs_goroutines_mutex"}, bound: mutex})
		add(promise{name: "ubench", what: what + ": times channels", figure: figure{of, "ratio_vs_goroutines_chan"}, bound: channel})
	}
	each([]int{1, 2}, func(pingers, pings, workers int) {
		mutex := atLeast(1.3)
		if pingers == 250 && pings == 100 && workers == 2 {
			mutex = atLeast(1) // the excepted cell: not slower
		}
		ratios(cell(pingers, pings, workers), cellName(pingers, pings, workers), mutex, above(1))
	})
	each([]int{2}, func(pingers, pings, _ int) {
		add(promise{
			name: "ubench", what: fmt.Sprintf("%d x %d: rate of 2 workers over that of 1 (goal: 1)", pingers, pings), bound: reported,
			figure: figure{cell(pingers, pings, 2), "msgs_per_s"}, over: &figure{cell(pingers, pings, 1), "msgs_per_s"},
		})
	})
	each([]int{4, 8}, func(pingers, pings, workers int) {
		ratios(beyond(pingers, pings, workers), cellName(pingers, pings, workers), reported, reported)
	})
	for _, w := range []int{1, 2} {
		for _, r := range []run{pingpong(w), ring(w)} {
			add(promise{name: r.workload, what: harness.Counted(w, "worker") + ": times channels", figure: figure{r, "ratio_vs_goroutines_chan"}, bound: above(1)})
		}
	}
	add(promise{name: "pingpong", what: "a round trip on 2 workers over that on 1", figure: figure{pingpong(2), "ns"}, over: &figure{pingpong(1), "ns"}, bound: atMost(2)})
	add(promise{name: "pingpong", what: "1 worker: ns for a round trip (Pony 68 to 74, Tokio 93)", figure: figure{pingpong(1), "ns"}, bound: reported})
	add(promise{name: "pingpong", what: "2 workers: ns for a round trip (Pony from 94, Tokio 138)", figure: figure{pingpong(2), "ns"}, bound: reported})
	return list
}

func cellName(pingers, pings, workers int) string {
	return fmt.Sprintf("%d x %d, %s", pingers, pings, harness.Counted(workers, "worker"))
}

// quick shrinks invocations until they say nothing but that they run: flags that follow those of the table.
var quick = map[string]string{
	"gcbench":     "--stretch-depth=12 --long-depth=10 --max-depth=10 --array=1000",
	"binarytrees": "--depth=8",
	"mutate":      "--depth=8 --grafts=100",
	"aging":       "--length=100 --passes=10000",
	"churn":       "--arrays=2000",
	"actors":      "--actors=500",
	"ubench":      "--seconds=0.02",
	"pingpong":    "--round-trips=2000",
	"ring":        "--hops=2000",
	"contend":     "--increments=1000",
	"spread":      "--units=16 --steps=1000",
	"tasks":       "--tasks=2000",
	"idle":        "--seconds=0.05 --hops=1000",
	"wake":        "--injections=20",
	"futures":     "--round-trips=2000",
	"spawn":       "--actors=2000 --idle=10000",
	"gang":        "--jobs=1000 --gap-jobs=10",
}
