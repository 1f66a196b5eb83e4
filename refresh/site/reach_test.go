package site

import (
	"testing"

	"mooring/placements"
	"mooring/refresh/host/xlsx"
)

func TestAddinOnly(t *testing.T) {
	files, err := (&xlsx.Config{Dir: t.TempDir()}).Open(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	s := &Locator{Hosts: map[string][]Provider{"acme": {{Kind: placements.SheetsB, Driver: files}}}}
	tests := []struct {
		fact     string
		tenant   string
		host     placements.Host
		document string
		want     bool
	}{
		{"a file of a host that is configured", "acme", placements.SheetsB, "book.xlsx", false},
		{"a file that an agent does not find", "acme", placements.SheetsB, "gone.xlsx", false},
		{"a host that is not configured", "acme", placements.SheetsA, "1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms", true},
		{"a host that is configured for another tenant", "globex", placements.SheetsB, "book.xlsx", true},
		{"a UUID", "acme", placements.SheetsB, "0f8fad5b-d9cb-469f-a165-70867728950e", true},
		{"a UUID in capitals", "acme", placements.SheetsB, "0F8FAD5B-D9CB-469F-A165-70867728950E", true},
		{"a UUID in braces is a name", "acme", placements.SheetsB, "{0f8fad5b-d9cb-469f-a165-70867728950e}", false},
		{"a UUID without dashes is a name", "acme", placements.SheetsB, "0f8fad5bd9cb469fa16570867728950e", false},
		{"a file named by a UUID", "acme", placements.SheetsB, "0f8fad5b-d9cb-469f-a165-70867728950e.xlsx", false},
		{"a name as long as a UUID", "acme", placements.SheetsB, "0f8fad5b-d9cb-469f-a165-708677289.xlsx", false},
		{"a UUID with a letter that is no digit", "acme", placements.SheetsB, "0f8fad5b-d9cb-469f-a165-70867728950g", false},
	}
	for _, test := range tests {
		t.Run(test.fact, func(t *testing.T) {
			p := placements.Placement{Host: test.host, WorkbookID: test.document}
			if got := s.AddinOnly(test.tenant, p); got != test.want {
				t.Errorf("AddinOnly(%q, %s %q) = %v, want %v", test.tenant, test.host, test.document, got, test.want)
			}
		})
	}
}
