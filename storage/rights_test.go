package storage_test

import (
	"errors"
	"fmt"
	"testing"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/record/recordtest"
	"mooring/storage/storagetest"
)

// placedReport is a report of the table's, placed by those who have placed it there.
type placedReport struct {
	*testing.T
	*storage.Store
	id int64
}

// placedBy is the address where a person has placed the report.
func placedBy(whose string, cell string) placements.Connection {
	return placements.Connection{
		ExternalWorkbookID: "book of " + whose, ResultLocation: "Data!" + cell, SheetID: "7", PlacementID: "placement of " + whose, AddressOnly: true,
	}
}

func newPlacedReport(t *testing.T, s *storage.Store) placedReport {
	t.Helper()
	owner := recordtest.Makers()[0].Actor()
	r, err := s.Reports().Create(t.Context(), shop, named("Sales", "select 1"), owner)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Reports().UpdateAccess(t.Context(), shop, r.ID, recordtest.Grants(), owner, anyone); err != nil {
		t.Fatal(err)
	}
	m := placedReport{t, s, r.ID}
	for _, p := range recordtest.People() {
		if p.Name != recordtest.Owner && p.Name != recordtest.Reader && p.Name != recordtest.Boss {
			continue
		}
		c := placedBy(p.Name, "B2")
		c.PlacementID = fmt.Sprintf("placement of %s in %d", p.Name, r.ID)
		if _, err := s.Placements().Connect(t.Context(), shop, r.ID, c, p.Actor(), nil, true); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// ask has an actor do what a right of the table is about; asked is false when the store does not judge it.
func (m placedReport) ask(r recordtest.Right, who record.Actor) (asked bool, err error) {
	c := placedBy(r.Whose, "B2")
	c.PlacementID = ""
	id := fmt.Sprintf("placement of %s in %d", r.Whose, m.id)
	switch r.How {
	case recordtest.Anew:
		c = placements.Connection{ExternalWorkbookID: "book of nobody", ResultLocation: "Data!B2", AddressOnly: true}
	case recordtest.TakenOver:
		c.AddressOnly = false
	case recordtest.Moved:
		c.ResultLocation, c.PlacementID = "Data!M2", id
	case recordtest.Renamed:
		c.ResultLocation = "Renamed!B2"
	case recordtest.Options:
		c.OnEdit = placements.Sent(placements.Overwrite)
	case recordtest.OptionsData:
		c.OnEdit, c.AddressOnly = placements.Sent(placements.Overwrite), false
	}
	ctx := m.Context()
	switch r.Operation {
	case "connectWorkbook":
		_, err = m.Store.Placements().Connect(ctx, shop, m.id, c, who, nil, true)
	case "disconnectWorkbook":
		_, _, err = m.Store.Placements().Disconnect(ctx, shop, m.id, placements.Target{PlacementID: id}, who, nil, true)
	case "stampRefresh":
		_, err = m.Store.Placements().RecordRefresh(ctx, shop, m.id, placements.Rewrite{Target: placements.Target{PlacementID: id}}, who, nil)
	default:
		return false, nil
	}
	return true, err
}

// The store asks of whoever writes a placement what the table says.
func TestPlacementsAreWrittenByWhomTheTableSays(t *testing.T) {
	s := storagetest.Open(t, storagetest.Redis(t)) // Go decides it alone: either storage would do
	m := newPlacedReport(t, s)
	for _, r := range recordtest.Rights() {
		if r.On != recordtest.Report {
			continue
		}
		for _, p := range recordtest.People() {
			p.Deployments = nil // which the store does not know
			asked, err := m.ask(r, p.Actor())
			if !asked {
				break
			}
			if got, want := answerOf(err), r.Answer(&p); got != want {
				t.Errorf("%s: %s %s of %s: %s, want %s: %v", p.Name, r.Operation, r.How, r.Whose, got, want, err)
			}
			if err == nil {
				m = newPlacedReport(t, s)
			}
		}
	}
}

// answerOf is what an error of the store says of the rights of who asked.
func answerOf(err error) recordtest.Answer {
	switch {
	case err == nil:
		return recordtest.Done
	case errors.Is(err, storage.ErrNotFound), placements.CodeOf(err) == placements.CodeNotFound:
		return recordtest.Absent
	case placements.CodeOf(err) == placements.CodeForbidden:
		return recordtest.Refused
	}
	return recordtest.Answer(err.Error())
}
