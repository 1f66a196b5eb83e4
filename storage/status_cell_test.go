package storage_test

import (
	"errors"
	"strings"
	"testing"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
)

// A status cell is refused inside the block of whatever report, by whoever placed it.
func TestStatusCellOutsideEveryBlock(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		neighbour := record.Deployment{Tenant: shop.Tenant, ID: shop.ID + 1}
		mine, other := create(t, s, shop, named("A", "select 1")), create(t, s, neighbour, named("B", "select 2"))
		beside := create(t, s, shop, named("C", "select 3"))
		roles := []record.RoleAccess{{ID: 7, Actions: []string{record.ActionReportEdit}}}
		if _, err := s.Reports().UpdateAccess(t.Context(), shop, mine.ID, roles, pipeline, anyone); err != nil {
			t.Fatal(err)
		}
		stranger := record.Actor{ID: 31, Roles: []int64{7}} // who may read mine alone
		connect := func(d record.Deployment, report int64, location, cell string, who record.Actor) error {
			c := placements.Connection{ExternalWorkbookID: "doc", ResultLocation: location, AddressOnly: true}
			if cell != "" {
				c.StatusCell = placements.Sent(cell)
			}
			_, err := s.Placements().Connect(t.Context(), d, report, c, who, nil, true)
			return err
		}
		for _, one := range []struct {
			location, cell string
			who            record.Actor
			inside         string // the block, empty: it is taken
		}{
			{"Data!A1:C10", "", pipeline, ""},
			{"Data!A1:C10", "B1", pipeline, "the block of the report itself"},
			{"Data!A1:C10", "F3", pipeline, "a block of another report"}, // of a deployment that the token may not be for
			{"data!A1:C10", "F3", pipeline, "a block of another report"},
			{"Data!A1:C10", "K3", pipeline, "the block at Data!K3:M9"},
			{"Data!A1:C10", "K3", stranger, "a block of another report"},
			{"Data!A1:C10", "G4", pipeline, ""}, // which a client says, and no refresh wrote
			{"Data!A1:C10", "F1", pipeline, ""},
			{"Other!A1:C10", "F3", pipeline, ""},
		} {
			if one.cell == "" {
				err := errors.Join(connect(neighbour, other.ID, "Data!F3:H9", "", pipeline), connect(shop, beside.ID, "Data!K3:M9", "", pipeline))
				if err != nil {
					t.Fatal(err)
				}
			}
			err := connect(shop, mine.ID, one.location, one.cell, one.who)
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
