package graph_test

import (
	"strings"
	"testing"

	"mooring/refresh/host/graph"
)

func TestConfigNamesTheKeyAtFault(t *testing.T) {
	for name, test := range map[string]struct {
		config graph.Config
		want   string
	}{
		"every key that is missing is named": {
			graph.Config{ClientID: "c"},
			"tenantId: missing; kind graph needs it\nclientSecret: missing; kind graph needs it\nsites: missing; kind graph needs sites or drives",
		},
		"a negative quota is named": {graph.Config{TenantID: "t", ClientID: "c", ClientSecret: "s", Drive: "d", RequestsPerMinute: -1}, "requestsPerMinute: must not be negative"},
	} {
		t.Run(name, func(t *testing.T) {
			h, err := test.config.Open(t.Context(), nil)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("Open = %v, %v, want an error with %q", h, err, test.want)
			}
		})
	}
}
