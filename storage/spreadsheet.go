package storage

import (
	"errors"
	"reflect"
	"slices"

	"mooring/placements"
)

// connection is what the spreadsheet keys of a body ask to record, as a connect would say it; ok is false when none of them was sent. On
// an update what is left out is what the report echoes of the placement recorded last. Empty texts and null are not sent:
// a report that was never placed reads back like that.
func (in *ReportInput) connection(r *Report) (c placements.Connection, ok bool) {
	c = placements.Connection{
		ExternalWorkbookID: in.ExternalWorkbookID.OrZero(),
		ResultLocation:     in.ResultLocation.OrZero(),
		EndResultCell:      in.EndResultCell.OrZero(),
		SheetID:            in.SheetID.OrZero(),
		ResultChecksum:     in.ResultChecksum.Value,
	}
	if reflect.ValueOf(c).IsZero() {
		return c, false
	}
	c.WorkbookName, c.Host = in.WorkbookName.OrZero(), in.Host.OrZero()
	if c.ExternalWorkbookID == "" {
		c.ExternalWorkbookID = r.ExternalWorkbookID
	}
	if c.ResultLocation == "" && c.ExternalWorkbookID == r.ExternalWorkbookID {
		c.ResultLocation = r.ResultLocation
	}
	return c, true
}

// CheckPlace finds what is wrong with the spreadsheet keys of a body whatever the report. Of one that may update a report, what is left out may come
// from there. The error is a *placements.InvalidError.
func (in *ReportInput) CheckPlace(creates bool) error {
	c, ok := in.connection(&Report{})
	if !ok {
		return nil
	}
	_, err := c.Place()
	bad, _ := errors.AsType[*placements.InvalidError](err)
	if bad == nil || creates {
		return err
	}
	sure := slices.DeleteFunc(bad.Details, func(d placements.Detail) bool {
		return d.Pointer == "/externalWorkbookId" && c.ExternalWorkbookID == "" || d.Pointer == "/resultLocation" && c.ResultLocation == ""
	})
	if len(sure) == 0 {
		return nil
	}
	return &placements.InvalidError{Code: placements.CodeOf(sure), Details: sure}
}

// placeSent records the placement that the body's spreadsheet keys name, by the rules of connect (decisions.md §4), unless it is there
// already: sending a report back as it was read, or applying it again, changes nothing.
func (s *Store) placeSent(todo *changes, k deploymentKeys, r *Report, in ReportInput, who User) error {
	c, ok := in.connection(r)
	if !ok {
		return nil
	}
	if s.alreadyRecorded(r, c, who) {
		return nil
	}
	at, err := c.Place()
	if err != nil {
		return err
	}
	_, err = s.place(todo, k, r, c, at, who)
	return err
}

// alreadyRecorded tells whether c says nothing new about a placement of r. Without a resultChecksum it only repeats an address: whoever sends it
// need not have written a cell, so it may not stamp one. With a checksum only the time of the write would be new.
func (s *Store) alreadyRecorded(r *Report, c placements.Connection, who User) bool {
	c.AddressOnly = c.ResultChecksum == nil
	ch, err := placements.Connect(r.places(), c, s.placeStamp(r, who))
	if err != nil || ch.Created {
		return false // an error is place's to report
	}
	old, p := r.Placements[ch.Index].Placement, ch.Placement
	p.RefreshedAt, p.RefreshedByUserID = old.RefreshedAt, old.RefreshedByUserID
	return reflect.DeepEqual(p, old)
}
