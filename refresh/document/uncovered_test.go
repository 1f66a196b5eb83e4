package document

import (
	"testing"

	"mooring/checksum"
)

func TestRowsAreNamedAsRuns(t *testing.T) {
	spans := func(pairs ...int) (list []checksum.Span) {
		for i := 0; i < len(pairs); i += 2 {
			list = append(list, checksum.Span{From: pairs[i], To: pairs[i+1]})
		}
		return list
	}
	for want, rows := range map[string][]checksum.Span{
		"":                          nil,
		"row 4 is":                  spans(3, 4),
		"rows 4–5 are":              spans(3, 5),
		"rows 1, 3–9 are":           spans(0, 1, 2, 9),
		"rows 1, 3, 5, 7, 9, … are": spans(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11),
	} {
		if got := rowsNamed(rows); got != want {
			t.Errorf("%v are named %q, want %q", rows, got, want)
		}
	}
}
