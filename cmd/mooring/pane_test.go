package main

import (
	"fmt"
	"testing"
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
