package host

import (
	"errors"
	"testing"

	"mooring/placements"
)

func TestGoogleFaultsThatOnlyTheBodyTells(t *testing.T) {
	g := &Google{faults: restFaults{service: "Google Sheets"}}
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
		err := g.fault(t.Context(), "doc", &refusal{Status: row.status, Body: []byte(row.body)})
		if !errors.As(err, &f) || f.Class != row.want {
			t.Errorf("%s: got %v, want class %s", row.fact, err, row.want)
		}
	}
}

func TestGoogleMarkerOfWholeColumnsEndsWithTheSheet(t *testing.T) {
	var s googleSheet
	s.Grid.Rows, s.Grid.Columns = 1000, 26
	r := googleRange{StartColumn: 1, EndColumn: 3}
	r.bound(s)
	if e := r.extent(); e.Rows != 1000 || e.Columns != 2 {
		t.Errorf("it covers %+v", e)
	}
}
