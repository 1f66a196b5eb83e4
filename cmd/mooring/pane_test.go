package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"mooring/storage/storagetest"
)

// The blocks of a document are listed with what is known of them, and look right.
func TestPaneListsBlocks(t *testing.T) {
	t.Parallel()
	s := newPaneSite(t)
	for i, name := range []string{"Sales by region", "Orders of this week", "Stock <img src=x onerror=alert(1)>", "Würfel & \"Becher\" Ω"} {
		id := s.report(name, "SELECT id, customer, amount FROM orders")
		s.place(id, "book-1", fmt.Sprintf("Data!%c2", 'B'+5*i))
	}
	p := s.open(s.bobs, "")
	p.shows("Sales by region")
	p.shows("Stock <img src=x onerror=alert(1)>")
	p.looksRight("blocks")
	p.click("Sales by region Not refreshed yet, Data!B2")
	p.shows("Unlink")
	p.looksRight("block")
	p.click("All blocks")
	p.click("Place a report")
	p.shows("Find a report")
	p.click("Orders of this week")
	p.shows("Cleo")
	p.shows("It would cover the block “Sales by region”.")
	p.click("Place elsewhere")
	p.shows("Place it here")
	p.looksRight("place")
}

// The pane's head names the zone by whose clocks its times are, the deployment's, and that of the browser where a pointer rests.
func TestPaneNamesTheZoneOfItsTimes(t *testing.T) {
	t.Parallel()
	const zone = "Asia/Kolkata"
	source := "{kind: sqlite, path: shop.db}, timezone: " + zone
	s := paneSiteOf(t, newCodeSiteOf(t, storagetest.Redis(t), 1, source, "{SHEETS_B: {kind: xlsx, dir: sheets}}"))
	s.place(s.report("Orders", "SELECT id, customer, amount FROM orders"), "book-1", "Data!B2")
	p := s.open(s.bobs, "")
	p.shows("Times in " + zone)
	p.refreshes("All blocks", "1 block refreshed, 4 rows changed.")
	var report struct {
		Placements []struct{ AsOf time.Time } `json:"externalWorkbookPlacements"`
	}
	if err := json.Unmarshal(s.send("GET", "1/reports/1", ""), &report); err != nil {
		t.Fatal(err)
	}
	there, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	p.shows("Up to date as of " + report.Placements[0].AsOf.In(there).Format("15:04"))
	if title := evalAs[string](p, `document.getElementById("zone").title`); !strings.HasPrefix(title, "Your browser’s clock is that of ") {
		t.Errorf("where a pointer rests it says %q", title)
	}
	p.looksRight("zone")
}
