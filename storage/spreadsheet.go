package storage

import (
	"mooring/placements"
	"mooring/storage/record"
)

// connectionOf is what the keys declare, see SpreadsheetKeys.Connection. On an update what is left out is what the report repeats of the
// placement recorded last.
func connectionOf(in *record.SpreadsheetKeys, r *Report) (c placements.Connection, ok bool) {
	if c, ok = in.Connection(); !ok {
		return c, false
	}
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
