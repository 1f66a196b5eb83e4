package xlsx_test

import (
	"path/filepath"
	"strings"
	"testing"

	"mooring/refresh/host/xlsx"
)

func TestConfigNamesTheKeyAtFault(t *testing.T) {
	for name, test := range map[string]struct {
		config xlsx.Config
		want   string
	}{
		"a folder is needed":         {xlsx.Config{}, "dir: missing; kind xlsx needs it"},
		"a folder that is not there": {xlsx.Config{Dir: filepath.Join(t.TempDir(), "no")}, "dir:"},
	} {
		t.Run(name, func(t *testing.T) {
			h, err := test.config.Open(t.Context(), nil)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("Open = %v, %v, want an error with %q", h, err, test.want)
			}
		})
	}
}
