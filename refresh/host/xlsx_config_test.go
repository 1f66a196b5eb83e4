package host_test

import (
	"path/filepath"
	"strings"
	"testing"

	"mooring/refresh/host"
)

func TestXLSXConfigNamesTheKeyAtFault(t *testing.T) {
	for name, test := range map[string]struct {
		config host.XLSXConfig
		want   string
	}{
		"a folder is needed":         {host.XLSXConfig{}, "dir: missing; kind xlsx needs it"},
		"a folder that is not there": {host.XLSXConfig{Dir: filepath.Join(t.TempDir(), "no")}, "dir:"},
	} {
		t.Run(name, func(t *testing.T) {
			h, err := test.config.Open(t.Context(), nil)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("Open = %v, %v, want an error with %q", h, err, test.want)
			}
		})
	}
}

func TestXLSXConfigResolvesItsFolder(t *testing.T) {
	for dir, want := range map[string]string{"sheets": "/etc/mooring/sheets", "/var/sheets": "/var/sheets", "": ""} {
		c := host.XLSXConfig{Dir: dir}
		if c.Resolve("/etc/mooring"); c.Dir != want {
			t.Errorf("%q is %q, want %q", dir, c.Dir, want)
		}
	}
}
