package sourcetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/source"
)

// secretValues are values which databases quote whole, in part, cut, escaped, or up to the end of a line.
var secretValues = []string{
	"Anna", "salary list\nAnna 90000", "salary\r\n\tAnna", strings.Repeat("Anna has 90000 of the salary list, ", 25), "Anna's '90000' salary's",
	`Anna "salary" 90000`, "Anna: 90000", "(Anna 90000", "$.salary.Anna[90000", "~/Anna/salary[", "/srv/salary/Anna", "https://10.0.0.5:90000/Anna",
	"Straße Ünna Anna\u00a090000", "{Anna} %s %d salary", "90000",
}

// secretParts are what each of them has a part of, in small letters.
var secretParts = []string{"anna", "salary", "90000", "10.0.0.5", "straß", "ünna"}

// untold proves that no fault quotes a value, neither to people nor to the log, and that what is wrong with the text of a query with values is
// still told.
func (s Subject) untold(t *testing.T) {
	if len(s.Telling) == 0 {
		t.Skip("the source takes no parameters")
	}
	src := s.open(t, nil)
	for _, q := range s.Telling {
		t.Run(q.SQL+q.JSON, func(t *testing.T) {
			failed := slices.DeleteFunc(slices.Clone(secretValues), func(value string) bool { return s.tellsNothing(t, src, withText(q, value)) })
			if len(failed) == 0 {
				t.Error("the query runs with any value, want one that fails")
			}
		})
	}
	for _, value := range secretValues {
		q := withText(s.BrokenWith, value)
		_, ran := src.Query(t.Context(), q, new(checksum.Builder))
		_, prepared := src.(source.Preparer).Prepare(t.Context(), q)
		for _, err := range []error{ran, prepared} {
			s.wantFault(t, err, placements.Structure)
			if !strings.Contains(err.Error(), "missing_column") {
				t.Errorf("message %q does not name the column", err)
			}
			wantUntold(t, err)
		}
		if _, known := errors.AsType[*source.PositionError](prepared); known != (s.BrokenAt != "") {
			t.Errorf("%v has a place: %v", prepared, known)
		}
	}
}

// tellsNothing checks whatever is wrong with a query, and reports whether it runs.
func (s Subject) tellsNothing(t *testing.T, src source.Source, q source.Query) (runs bool) {
	t.Helper()
	_, ran := src.Query(t.Context(), q, new(checksum.Builder))
	_, prepared := src.(source.Preparer).Prepare(t.Context(), q)
	errs := []error{ran, prepared}
	if totaler, ok := src.(source.Totaler); ok {
		_, err := totaler.Totals(t.Context(), q, 1, nil, new(checksum.Builder))
		errs = append(errs, err)
	}
	for _, err := range errs {
		if err == nil || errors.Is(err, source.ErrNoTotals) {
			continue
		}
		if _, ok := errors.AsType[*placements.Fault](err); !ok {
			t.Errorf("%v is no fault", err)
		}
		wantUntold(t, err)
	}
	return ran == nil
}

// wantUntold fails the test if an error, or one that it wraps, has a part of a value.
func wantUntold(t *testing.T, err error) {
	t.Helper()
	said := ""
	for e := err; e != nil; e = errors.Unwrap(e) {
		said += fmt.Sprintf("%v\n%+v\n", e, e)
	}
	for _, part := range secretParts {
		if strings.Contains(strings.ToLower(said), part) {
			t.Errorf("%q tells %q", said, part)
		}
	}
}

// withText is a query with the value of its parameter text.
func withText(q source.Query, value string) source.Query {
	q.Parameters = Arguments(placements.Parameter{Name: "text", Type: placements.ParameterText}, placements.OneValue(placements.TextScalar(value)))
	return q
}
