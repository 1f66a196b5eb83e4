package record_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"mooring/storage/record"
)

// Whatever lists the runs of a document are in, and however short their pages end, a walk through them all shows each run once, in order.
func TestRunsOfADocumentAreJoined(t *testing.T) {
	for seed := range uint64(500) {
		random := rand.New(rand.NewPCG(seed, 1))
		lists, all := make([][]string, 1+random.IntN(4)), []string{}
		for i := range random.IntN(30) {
			place := fmt.Sprintf("%016d:run", 1000-i)
			in := random.IntN(len(lists))
			lists[in] = append(lists[in], place)
			for n := range lists {
				if n != in && random.IntN(3) == 0 {
					lists[n] = append(lists[n], place)
				}
			}
			all = append(all, place)
		}
		first := 1 + random.IntN(5)
		var got []string
		for after, more := "", true; more; {
			pages := make([]record.RunPage, len(lists))
			for i, list := range lists {
				pages[i] = runPage(list, after, first, random.IntN(3) == 0)
			}
			p := record.JoinRuns(pages, first)
			if len(p.Runs) > first {
				t.Fatalf("seed %d: %d runs on a page of %d", seed, len(p.Runs), first)
			}
			got = append(got, p.Places...)
			if more = p.HasNextPage; more && (p.End == "" || after != "" && p.End >= after) {
				t.Fatalf("seed %d: a page after %q ends at %q", seed, after, p.End)
			}
			after = p.End
		}
		if !slices.Equal(got, all) {
			t.Fatalf("seed %d: %v, want %v", seed, got, all)
		}
	}
}

// runPage is a page of a list behind a place. A short one ends before it is full, as the storage ends one that it has looked for far enough.
func runPage(list []string, after string, first int, short bool) (p record.RunPage) {
	rest := slices.DeleteFunc(slices.Clone(list), func(place string) bool { return after != "" && place >= after })
	n := min(first, len(rest))
	if short && n > 1 {
		n--
	}
	for _, place := range rest[:n] {
		p.Runs, p.Places, p.End = append(p.Runs, &record.Run{}), append(p.Places, place), place
	}
	p.HasNextPage = n < len(rest)
	return p
}
