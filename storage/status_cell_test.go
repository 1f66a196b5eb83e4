package storage_test

import (
	"strings"
	"testing"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
)

// A status cell is refused inside the block of whatever report, by whoever placed it.
func TestStatusCellOutsideEveryBlock(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		mine, other := create(t, s, shop, named("A", "select 1")), create(t, s, record.Deployment{Tenant: shop.Tenant, ID: shop.ID + 1}, named("B", "select 2"))
		connect := func(d record.Deployment, report int64, location, cell string) error {
			c := placements.Connection{ExternalWorkbookID: "doc", ResultLocation: location, AddressOnly: true}
			if cell != "" {
				c.StatusCell = placements.Sent(cell)
			}
			_, err := s.Connect(t.Context(), d, report, c, pipeline, nil, true)
			return err
		}
		for _, one := range []struct {
			location, cell string
			inside         string // the block, empty: it is taken
		}{
			{"Data!A1:C10", "", ""},
			{"Data!A1:C10", "B1", "the report itself"},
			{"Data!A1:C10", "F3", "Data!F3:H9"},
			{"data!A1:C10", "F3", "Data!F3:H9"},
			{"Data!A1:C10", "G4", ""}, // which a client says, and nobody wrote
			{"Data!A1:C10", "F1", ""},
			{"Other!A1:C10", "F3", ""},
		} {
			if one.cell == "" {
				if err := connect(record.Deployment{Tenant: shop.Tenant, ID: shop.ID + 1}, other.ID, "Data!F3:H9", ""); err != nil {
					t.Fatal(err)
				}
			}
			err := connect(shop, mine.ID, one.location, one.cell)
			details := placements.DetailsOf(err)
			switch {
			case one.inside == "" && err != nil:
				t.Errorf("%s for %s: %v", one.cell, one.location, err)
			case one.inside != "" && (len(details) != 1 || details[0].Pointer != "/statusCell" || !strings.Contains(details[0].Message, one.inside)):
				t.Errorf("%s for %s: %v %v", one.cell, one.location, err, details)
			}
		}
	})
}
