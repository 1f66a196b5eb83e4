package record_test

import (
	"testing"

	"pgregory.net/rapid"

	"mooring/storage/record"
)

func TestFreshIDsNameTheReportTheyWereMadeFor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := record.Deployment{Tenant: rapid.String().Draw(t, "tenant"), ID: rapid.Int64Min(1).Draw(t, "deployment")}
		report := rapid.Int64Range(1, 3_000_000_000_000).Draw(t, "report")
		id := record.FreshID(d, report)
		if code, fault := record.PublicIDFault(id); fault != "" {
			t.Fatal(id, code, fault)
		}
		if got := record.FreshIDOf(d, id); got != report {
			t.Fatal(id, got)
		}
	})
	acme := record.Deployment{Tenant: "acme", ID: 1}
	const pinned = "RNIyx000000H" // it stands in files
	if got := record.FreshID(acme, 17); got != pinned {
		t.Error(got)
	}
	for _, elsewhere := range []record.Deployment{{Tenant: "acme", ID: 2}, {Tenant: "other", ID: 1}} {
		if report := record.FreshIDOf(elsewhere, pinned); report != 0 {
			t.Error(elsewhere, report)
		}
	}
	for _, id := range []string{"", "OrdersReport", "Cities000001", "R0000000000H", "R---------00"} {
		if report := record.FreshIDOf(acme, id); report != 0 {
			t.Error(id, report)
		}
	}
}
