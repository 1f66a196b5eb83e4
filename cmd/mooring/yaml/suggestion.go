package yaml

import (
	"slices"
	"strings"
)

// Suggestion says which of the known names a wrong one may mean, or which there are.
func Suggestion(name string, known []string) string {
	best, near := Nearest(name, known)
	switch {
	case near:
		return "write " + best + " if you mean that"
	case len(known) == 0:
		return "there are none yet, add it first"
	}
	shown := slices.Sorted(slices.Values(known))
	return "known here are " + strings.Join(shown[:min(len(shown), 20)], ", ")
}

// Nearest returns the known name that a wrong one is most like; false: it is like none.
func Nearest(name string, known []string) (best string, near bool) {
	least := 1 + max(2, len(name)/3)
	for _, k := range known {
		if d := distance(strings.ToLower(name), strings.ToLower(k)); d < least && d < max(len(name), len(k)) {
			best, least, near = k, d, true
		}
	}
	return best, near
}

// distance is how many bytes have to be added, removed or replaced to make one text the other (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := corner
			if a[i] != b[j] {
				replaced++
			}
			corner = row[j+1]
			row[j+1] = min(replaced, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}
