package sourcetest

import (
	"strings"
	"testing"

	"mooring/refresh/source"
)

// ConfigFault is a configuration that cannot be opened, and what its error holds.
type ConfigFault struct {
	Name   string
	Config source.Config
	Want   string
}

// ConfigFaults proves that a configuration that cannot be opened is refused with the key at fault, and that no error holds secret.
func ConfigFaults(t *testing.T, secret string, faults []ConfigFault) {
	for _, c := range faults {
		t.Run(c.Name, func(t *testing.T) {
			_, err := c.Config.Open(t.Context())
			if err == nil || !strings.Contains(err.Error(), c.Want) {
				t.Fatalf("got %v, want %q", err, c.Want)
			}
			if strings.Contains(err.Error(), secret) {
				t.Errorf("the error shows a secret: %v", err)
			}
		})
	}
}
