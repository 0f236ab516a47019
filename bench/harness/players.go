package harness

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Players play the variants of a workload, by name: each makes the function that does one repetition with the
// parameters that the child got.
type Players[P any] map[string]func(p P) Repeat

// Child is a Workload's Child: it reads the parameters and picks the variant.
func (ps Players[P]) Child(variant string, params json.RawMessage, _ func(line string)) (Repeat, error) {
	var p P
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, fmt.Errorf("reading parameters: %w", err)
	}
	player, known := ps[variant]
	if !known {
		return nil, fmt.Errorf("no variant %q, there are: %s", variant, strings.Join(slices.Sorted(maps.Keys(ps)), ", "))
	}
	return player(p), nil
}
