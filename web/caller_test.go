package web

import (
	"testing"

	"mooring/placements"
)

func TestDemand(t *testing.T) {
	for name, tt := range map[string]struct {
		have, want level
		code       placements.Code
	}{
		"enough passes":                            {mayEdit, mayEdit, ""},
		"more passes":                              {mayManage, mayRead, ""},
		"readable but not editable is forbidden":   {mayRead, mayEdit, placements.CodeForbidden},
		"editable but not manageable is forbidden": {mayEdit, mayManage, placements.CodeForbidden},
		"unreadable is not found, whatever asked":  {mayNothing, mayManage, placements.CodeNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			err := demand(tt.have, tt.want, "report")
			if placements.CodeOf(err) != tt.code {
				t.Errorf("demand = %v, want code %q", err, tt.code)
			}
		})
	}
}
