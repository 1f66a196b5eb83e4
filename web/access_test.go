package web

import (
	"errors"
	"testing"
)

func TestDemand(t *testing.T) {
	for name, tt := range map[string]struct {
		have, want level
		code       Code
	}{
		"enough passes":                            {mayEdit, mayEdit, ""},
		"more passes":                              {mayManage, mayRead, ""},
		"readable but not editable is forbidden":   {mayRead, mayEdit, codeForbidden},
		"editable but not manageable is forbidden": {mayEdit, mayManage, codeForbidden},
		"unreadable is not found, whatever asked":  {mayNothing, mayManage, codeNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			err := demand(tt.have, tt.want, "report")
			var got Code
			if f, ok := errors.AsType[*fault](err); ok {
				got = f.code
			}
			if got != tt.code {
				t.Errorf("demand = %v, want code %q", err, tt.code)
			}
		})
	}
}
