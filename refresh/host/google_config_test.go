package host_test

import (
	"strings"
	"testing"

	"mooring/refresh/host"
)

func TestGoogleConfigNamesTheKeyAtFault(t *testing.T) {
	for name, test := range map[string]struct {
		config host.GoogleConfig
		want   string
	}{
		"a credentials file is needed":    {host.GoogleConfig{}, "credentialsFile: missing; kind google needs it"},
		"a negative quota is named":       {host.GoogleConfig{CredentialsFile: "x", RequestsPerMinute: -1}, "requestsPerMinute: must not be negative"},
		"all faults are reported at once": {host.GoogleConfig{ProjectPerMinute: -1}, "credentialsFile: missing; kind google needs it\nprojectPerMinute: must not be negative"},
	} {
		t.Run(name, func(t *testing.T) {
			h, err := test.config.Open(t.Context(), nil)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("Open = %v, %v, want an error with %q", h, err, test.want)
			}
		})
	}
}

func TestGoogleConfigResolvesItsFile(t *testing.T) {
	c := host.GoogleConfig{CredentialsFile: "sa.json"}
	if c.Resolve("/etc/mooring"); c.CredentialsFile != "/etc/mooring/sa.json" {
		t.Errorf("the file is %q", c.CredentialsFile)
	}
}
