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
		if got, ok := record.FreshIDOf(d, id); !ok || got != report {
			t.Fatal(id, got, ok)
		}
	})
	acme := record.Deployment{Tenant: "acme", ID: 1}
	const pinned = "RNIyx000000H" // it stands in files
	if got := record.FreshID(acme, 17); got != pinned {
		t.Error(got)
	}
	for _, elsewhere := range []record.Deployment{{Tenant: "acme", ID: 2}, {Tenant: "other", ID: 1}} {
		if report, ok := record.FreshIDOf(elsewhere, pinned); ok {
			t.Error(elsewhere, report)
		}
	}
	for _, id := range []string{"", "OrdersReport", "R0000000000H", "R---------00"} {
		if report, ok := record.FreshIDOf(acme, id); ok {
			t.Error(id, report)
		}
	}
}
