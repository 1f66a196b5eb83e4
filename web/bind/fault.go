package bind

import (
	"cmp"
	"slices"
	"strings"

	"mooring/placements"
)

// Faults are what is wrong with a body.
type Faults []placements.Detail

// Join adds faults that rules found in the values that were read, and returns those that it added. A value with a fault counts as absent there, so what
// the rules say of it or of something in it is left out.
func (f *Faults) Join(found []placements.Detail) (joined []placements.Detail) {
	shapes := *f
	for _, d := range found {
		if len(*f) < MaxFaults && !slices.ContainsFunc(shapes, func(s placements.Detail) bool { return within(d.Pointer, s.Pointer) }) {
			joined = append(joined, d)
			*f = append(*f, d)
		}
	}
	return joined
}

// Sorted are the faults by their pointers.
func (f Faults) Sorted() []placements.Detail {
	return slices.SortedStableFunc(slices.Values(f), func(a, b placements.Detail) int { return cmp.Compare(a.Pointer, b.Pointer) })
}

// within reports whether a pointer leads to a value or to something in it.
func within(pointer, value string) bool {
	rest, ok := strings.CutPrefix(pointer, value)
	return ok && (rest == "" || rest[0] == '/')
}
