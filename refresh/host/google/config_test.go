package google_test

import (
	"strings"
	"testing"

	"mooring/refresh/host/google"
)

func TestConfigNamesTheKeyAtFault(t *testing.T) {
	for name, test := range map[string]struct {
		config google.Config
		want   string
	}{
		"a credentials file is needed": {google.Config{}, "credentialsFile: missing; kind google needs it"},
		"a negative quota is named": {
			google.Config{CredentialsFile: "x", RequestsPerMinute: -1},
			"requestsPerMinute: must not be negative",
		},
		"all faults are reported at once": {
			google.Config{ProjectPerMinute: -1},
			"credentialsFile: missing; kind google needs it\nprojectPerMinute: must not be negative",
		},
	} {
		t.Run(name, func(t *testing.T) {
			h, err := test.config.Open(t.Context(), nil)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("Open = %v, %v, want an error with %q", h, err, test.want)
			}
		})
	}
}
