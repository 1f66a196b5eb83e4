package marks

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// marksChanges is how many random changes are made in all: MOORING_MARKS, or what fits into everybody's test run.
func marksChanges(t *testing.T) int {
	t.Helper()
	n := 400
	if text := os.Getenv("MOORING_MARKS"); text != "" {
		var err error
		n, err = strconv.Atoi(text)
		must(t, err)
	}
	return n
}

// TestMarksStayBesideTheirRecords changes the source and lets people edit documents at random. After each refresh every note, formula, name
// and comment must be beside its record, and every reference must be on its cell, unless the run says why not.
func TestMarksStayBesideTheirRecords(t *testing.T) {
	hosts := []struct {
		name string
		open func(*testing.T) *mooring
	}{{"xlsx", mooringFiles}, {"google", mooringGoogle}, {"graph", mooringGraph}, {"pane", mooringPane}}
	n := marksChanges(t) / len(hosts)
	for i, host := range hosts {
		t.Run(host.name, func(t *testing.T) {
			t.Parallel()
			m := host.open(t)
			all := tally{why: map[string]int{}}
			for seed := uint64(i) << 32; all.changes < n; seed++ {
				list := steps(seed)
				h, made := m.play(seed, list)
				if len(h.trouble) > 0 {
					t.Fatal(m.explain(seed, list))
				}
				all.changes += made.changes
				all.refreshes += made.refreshes
				all.refused += made.refused
				for kind, n := range made.why {
					all.why[kind] += n
				}
			}
			t.Logf("%d changes, %d refreshes, of which %d say why not", all.changes, all.refreshes, all.refused)
			for _, kind := range slices.Sorted(maps.Keys(all.why)) {
				t.Logf("%d: %s", all.why[kind], kind)
			}
		})
	}
}

// tally counts what was done.
type tally struct {
	changes, refreshes int
	why                map[string]int // by kind: refused ones
	refused            int            // refreshes that say why they wrote nothing, or which records could not keep what is beside them
}

// play takes the steps of a history until it ends.
func (m *mooring) play(seed uint64, list []step) (h *history, made tally) {
	m.Helper()
	h, made.why = begin(m, seed), map[string]int{}
	for _, s := range list {
		if len(h.trouble) > 0 || h.ended {
			break
		}
		h.log = append(h.log, s.String())
		if s.change >= 0 {
			made.changes++
		} else {
			made.refreshes++
		}
		if h.take(s) {
			made.refused++
			made.why[h.why]++
		}
	}
	return h, made
}

// explain finds the fewest steps of a history that still go wrong, and says how.
func (m *mooring) explain(seed uint64, list []step) string {
	m.Helper()
	for size := len(list) / 2; size > 0; size /= 2 {
		for at := 0; at+size <= len(list); {
			less := slices.Delete(slices.Clone(list), at, at+size)
			if h, _ := m.play(seed, less); len(h.trouble) > 0 {
				list = less
			} else {
				at += size
			}
		}
	}
	h, _ := m.play(seed, list)
	return fmt.Sprintf("seed %d, keyed %t: %s\n%s\n\nbefore: %s\n\nafter: %s", seed, h.keyed, strings.Join(h.log, ", "),
		strings.Join(h.trouble, "\n"), h.before.show(), h.document.look().show())
}
