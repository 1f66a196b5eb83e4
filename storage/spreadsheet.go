package storage

import (
	"errors"
	"reflect"
	"slices"

	"mooring/placements"
	"mooring/storage/record"
)

// connectionOf is what the keys declare, as a connect would say it; ok is false when none of them was sent. On an update what is left out
// is what the report repeats of the placement recorded last. Empty texts and null are not sent: a report that was never placed reads back
// like that.
func connectionOf(in *record.SpreadsheetKeys, r *Report) (c placements.Connection, ok bool) {
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
	// What repeats the echo means that placement, whose sheet the resultLocation need not name.
	if p, ok := r.echoed(); ok && c.ExternalWorkbookID == r.ExternalWorkbookID && c.ResultLocation == r.ResultLocation {
		c.SheetName, c.AnchorCell = p.SheetName, p.AnchorCell
	}
	return c, true
}

// CheckPlace finds what is wrong with the spreadsheet keys of a body whatever the report. Of one that may update a report, what is left out
// may come from there. The error is a *placements.Error.
func CheckPlace(in *record.SpreadsheetKeys, creates bool) error {
	c, ok := connectionOf(in, &Report{})
	if !ok {
		return nil
	}
	_, err := c.Place()
	bad, _ := errors.AsType[*placements.Error](err)
	if bad == nil || creates {
		return err
	}
	sure := slices.DeleteFunc(bad.Details, func(d placements.Detail) bool {
		return d.Pointer == "/externalWorkbookId" && c.ExternalWorkbookID == "" || d.Pointer == "/resultLocation" && c.ResultLocation == ""
	})
	// What the report repeats may name no sheet, see connectionOf.
	if !slices.ContainsFunc(sure, func(d placements.Detail) bool { return d.Pointer != "/sheetName" }) {
		return nil
	}
	return placements.Faulty(sure...)
}

// placeSent records what the body's spreadsheet keys declare.
func (s *Store) placeSent(tx *txn, k deploymentKeys, r *Report, in record.ReportInput, who record.Actor) error {
	c, ok := connectionOf(&in.SpreadsheetKeys, r)
	if !ok {
		return nil
	}
	stamp, err := s.placeStamp(r, who, 0)
	if err != nil {
		return err
	}
	ch, changed, err := placements.Declare(r.Places(), c, stamp)
	if err == nil && changed {
		err = s.Bounded(k.at(), ch.Placement)
	}
	if err != nil || !changed {
		return err
	}
	if address := c.ResultChecksum == nil; ch.Created || !address {
		s.connected(tx, k, r, ch, address, who)
	} else {
		resized(tx, k, r, ch)
	}
	sortPlaced(r.Placements)
	return nil
}

// resized adds a new endResultCell of a placement that is named again: its cells are not claimed anew.
func resized(tx *txn, k deploymentKeys, r *Report, ch placements.Change) {
	rewritePlacement(tx, k, r, ch.Index, ch.Placement)
	tx.publish(k, record.EventPlacementConnected, r.ID, &ch.Placement)
	if p := &r.Placements[ch.Index]; p.position().slot == r.echoes {
		r.echo(p)
	}
}
