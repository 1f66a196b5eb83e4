package google

import (
	"errors"
	"testing"

	"mooring/placements"
	"mooring/refresh/host/rest"
)

func TestFaultsThatOnlyTheBodyTells(t *testing.T) {
	g := &Sheets{faults: rest.Faults{Service: "Google Sheets"}}
	for _, row := range []struct {
		fact   string
		status int
		body   string
		want   placements.Class
	}{
		{"a used-up quota said as 403", 403, `{"error":{"errors":[{"reason":"userRateLimitExceeded"}]}}`, placements.Quota},
		{"no permission", 403, `{"error":{"status":"PERMISSION_DENIED"}}`, placements.Auth},
		{"an Excel file", 400, `{"error":{"status":"FAILED_PRECONDITION"}}`, placements.Permanent},
		{"protected cells", 400, `{"error":{"message":"You are trying to edit a protected cell or object."}}`, placements.Auth},
		{"anything else invalid", 400, `{"error":{"status":"INVALID_ARGUMENT"}}`, placements.Permanent},
	} {
		var f *placements.Fault
		err := g.fault(t.Context(), "doc", &rest.Refusal{Status: row.status, Body: []byte(row.body)})
		if !errors.As(err, &f) || f.Class != row.want {
			t.Errorf("%s: got %v, want class %s", row.fact, err, row.want)
		}
	}
}

func TestMarkerOfWholeColumnsEndsWithTheSheet(t *testing.T) {
	var s sheet
	s.Grid.Rows, s.Grid.Columns = 1000, 26
	r := gridRange{StartColumn: 1, EndColumn: 3}
	r.bound(s)
	if e := r.extent(); e.Rows != 1000 || e.Columns != 2 {
		t.Errorf("it covers %+v", e)
	}
}
