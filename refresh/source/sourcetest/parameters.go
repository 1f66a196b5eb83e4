package sourcetest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/source"
)

// BoundCase is a query with parameters whose one row must come out as these cells.
type BoundCase struct {
	Name  string
	Query source.Query
	Want  []checksum.Cell
}

// parameters proves that values are bound, each as what it is.
func (s Subject) parameters(t *testing.T) {
	src := s.open(t, nil)
	for _, c := range s.Bound {
		t.Run(c.Name, func(t *testing.T) {
			if wrong := source.ParameterFaults(src, c.Query, of(c.Query.Parameters)); len(wrong) > 0 {
				t.Fatalf("faults %v", wrong)
			}
			_, grid := Table(t, src, c.Query)
			if diff := cmp.Diff(c.Want, grid.Cells(1, nil)); diff != "" {
				t.Errorf("cells (-want +got):\n%s", diff)
			}
			if _, err := src.(source.Preparer).Prepare(t.Context(), c.Query); err != nil {
				t.Errorf("prepared: %v", err)
			}
		})
	}
}

// Arguments are values of parameters: a parameter, its value, and so on.
func Arguments(list ...any) (all placements.Arguments) {
	for i := 0; i+1 < len(list); i += 2 {
		p, v := list[i].(placements.Parameter), list[i+1].(placements.ParameterValue)
		all = append(all, placements.Argument{Parameter: &p, Value: v})
	}
	return all
}

func of(with placements.Arguments) (list []placements.Parameter) {
	for _, a := range with {
		list = append(list, *a.Parameter)
	}
	return list
}
