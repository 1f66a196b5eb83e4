package access

import (
	"testing"

	"mooring/placements"
	"mooring/storage/record"
)

func TestDemand(t *testing.T) {
	for name, tt := range map[string]struct {
		have, want record.Level
		code       placements.Code
	}{
		"enough passes":                            {record.MayEdit, record.MayEdit, ""},
		"more passes":                              {record.MayManage, record.MayRead, ""},
		"readable but not editable is forbidden":   {record.MayRead, record.MayEdit, placements.CodeForbidden},
		"editable but not manageable is forbidden": {record.MayEdit, record.MayManage, placements.CodeForbidden},
		"unreadable is not found, whatever asked":  {record.MayNothing, record.MayManage, placements.CodeNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			err := Demand(tt.have, tt.want, "report")
			if placements.CodeOf(err) != tt.code {
				t.Errorf("Demand = %v, want code %q", err, tt.code)
			}
		})
	}
}
