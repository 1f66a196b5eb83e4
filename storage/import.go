package storage

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"unicode"

	"mooring/placements"
)

// ImportPlacements records placements of a report exactly as given, such as those that another service kept before placements had ids:
// without an id, with only a resultLocation as their address, with their stamps, claims and last runs. Only a host is filled in where none
// is named, as connect does, and edits are left out. All of list is recorded, or nothing. It publishes no events and leaves the report's
// marks alone.
//
// Errors: ErrNotFound; a *placements.Error for a record that names no spreadsheet, sheet and cell, or that no placement can be, for two at
// one address or of one id, and when a placement of the report has an address or id of theirs already.
func (s *Store) ImportPlacements(ctx context.Context, d Deployment, reportID int64, list []Placed) error {
	if err := checkImport(list); err != nil {
		return err
	}
	k := s.deployment(d)
	h, r, err := s.lockReport(ctx, k, reportID)
	if err != nil {
		return err
	}
	defer s.unlock(ctx, h)
	host, err := r.Definition.Host()
	if err != nil {
		return err
	}
	var tx txn
	for _, p := range list {
		if err := r.free(p); err != nil {
			return err
		}
		p.Host = cmp.Or(p.Host, host)
		p.Edits = nil // of cells that no run of this service has seen
		writePlacement(&tx, k, r.ID, nil, &p)
		if p.LastRun != nil {
			tx.set(k.placements(r.ID), lastRunField+p.position().slot, p.LastRun)
		}
	}
	if tx.Idle() {
		return nil
	}
	return s.commit(ctx, h, &tx)
}

// checkImport finds what is wrong with a list of records in itself, all of it.
func checkImport(list []Placed) error {
	var faults []placements.Detail
	seen := map[[2]string]int{} // kind and name -> index
	for i, p := range list {
		fault := importFault(p)
		at := positionOf(p.Placement)
		for _, name := range [][2]string{{"slot", at.slot}, {"address", at.key}} {
			if first, twice := seen[name]; twice && first != i && fault == "" {
				fault = fmt.Sprintf("It has the address or the id of record %d: leave one of the two out.", first)
			}
			seen[name] = i
		}
		if fault != "" {
			faults = append(faults, placements.Detail{Pointer: fmt.Sprintf("/%d", i), Code: placements.CodeInvalid, Message: fault})
		}
	}
	if faults == nil {
		return nil
	}
	wrong := placements.Faulty(faults...)
	wrong.Message = "the placements cannot be imported: mend the records named"
	return wrong
}

// importFault is what is wrong with one record, empty if nothing.
func importFault(p Placed) string {
	if _, ok := p.Address(); !ok || p.WorkbookID == "" {
		return "It names no spreadsheet, sheet and cell: give it a workbookId, and a sheetName and anchorCell or a resultLocation."
	}
	for _, text := range []string{p.ID, p.WorkbookID, p.SheetID, p.SheetName, p.PlacedAt, p.RefreshedAt, p.QueryChecksum} {
		if strings.ContainsFunc(text, unicode.IsControl) {
			return fmt.Sprintf("%q holds a control character: no id, name, time or checksum does.", text)
		}
	}
	return ""
}

// free refuses p where a placement of r stands, or has its id.
func (r *Report) free(p Placed) error {
	at := p.position()
	_, known := r.Find(p.ID)
	if !r.standsAt(at.key) && (p.ID == "" || !known) {
		return nil
	}
	return placements.Errorf(placements.CodeAddressTaken,
		"A placement of report %d stands at %s or has the id %q already: leave that record out, or disconnect the placement.",
		r.ID, placements.Location{Sheet: at.Sheet, Anchor: at.Anchor, Rows: 1, Columns: 1}, p.ID)
}
