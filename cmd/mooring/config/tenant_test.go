package config

import (
	"strings"
	"testing"

	"mooring/placements"
	"mooring/refresh/host/xlsx"
	"mooring/storage/record"

	"github.com/google/go-cmp/cmp"
)

func TestDocumentsOfTheConfiguration(t *testing.T) {
	for _, tc := range []struct {
		fact, documents      string
		one, secret, another bool // may deployment 1 place in sales-1 and in secret, and deployment 2 in sales-1
	}{
		{"without documents it is all", "", true, true, true},
		{"a deployment has the documents that its patterns name", "documents: {1: ['sales-*']}", true, false, false},
		{"each has its own", "documents: {1: ['secret'], 2: ['sales-?']}", false, true, true},
		{"a deployment that is not named has none", "documents: {}", false, false, false},
	} {
		t.Run(tc.fact, func(t *testing.T) {
			text := "tenants: {a: {deployments: {1: {}, 2: {}}, spreadsheets: {SHEETS_B: {kind: xlsx, dir: d, " + tc.documents + "}}}}\n"
			cfg, err := Parse("/somewhere/m.yaml", []byte(text), environment(), drivers())
			if err != nil {
				t.Fatal(err)
			}
			allow := func(deployment int64, id string) bool {
				return cfg.Documents()[record.Deployment{Tenant: "a", ID: deployment}].Allow(placements.Placement{Host: placements.SheetsB, WorkbookID: id})
			}
			if got := []bool{allow(1, "sales-1"), allow(1, "secret"), allow(2, "sales-1")}; got[0] != tc.one || got[1] != tc.secret || got[2] != tc.another {
				t.Errorf("got %v, want %t %t %t", got, tc.one, tc.secret, tc.another)
			}
			if dir := cfg.Tenants["a"].Spreadsheets.byName()["SHEETS_B"].Config.(*xlsx.Config).Dir; dir != "/somewhere/d" {
				t.Errorf("dir is %s", dir)
			}
		})
	}
}

func TestServedTenants(t *testing.T) {
	text := "tenants: {b: {hosts: [B.Example.com, localhost], deployments: {2: {}, 1: {}}}}\n"
	cfg, err := Parse("m.yaml", []byte(text), environment(), drivers())
	if err != nil {
		t.Fatal(err)
	}
	got := cfg.Served()
	if diff := cmp.Diff([]string{"b.example.com", "localhost"}, got["b"].Hosts); diff != "" {
		t.Errorf("hosts (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int64{1, 2}, got["b"].Deployments); diff != "" {
		t.Errorf("deployments (-want +got):\n%s", diff)
	}
}

// An unknown kind is told what to write: also where a word for spreadsheets stands in its place.
func TestUnknownKinds(t *testing.T) {
	for kind, want := range map[string]string{
		"":         "kind: missing; it is one of",
		"Google":   `kind: "Google" is unknown; write google if you mean that`,
		"xslx":     `kind: "xslx" is unknown; write xlsx if you mean that`,
		"SHEETS_B": `kind: "SHEETS_B" is what its spreadsheets are; the kind of a host is one of`,
		"dropbox":  `kind: "dropbox" is unknown; it is one of`,
	} {
		if got := drivers().Hosts.Unknown(kind).Error(); !strings.HasPrefix(got, want) {
			t.Errorf("%q: %s, want %s", kind, got, want)
		}
	}
}
