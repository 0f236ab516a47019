package promises

// ofHeaps are the promises of the workloads beside GCBench that stress heaps.
func ofHeaps() (list []promise) {
	for _, w := range []string{"binarytrees", "mutate", "aging", "churn"} {
		list = append(list, promise{name: "heaps", what: w + ": times as fast as plain Go", figure: figure{run{w, twoWorkers, 5}, "speedup_vs_go"}, bound: atLeast(1)})
	}
	return append(list, promise{
		name: "heaps", what: "100,000 actors with one object each: bytes outside Go's heap for each", bound: below(1000), exact: true,
		figure: figure{run{"actors", "--variants=encorert --warmup=1 " + twoWorkers, 2}, "heap_bytes"},
	})
}
