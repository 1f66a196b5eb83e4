package demo

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/xlsx"
	"mooring/web/client"
)

// What the demo's person does to the block: sorts it from Z to A, and types over a number.
const (
	typedState = "Ohio"
	typedText  = "about 11.8 million"
	typedIn    = 3 // the column
)

// person changes the cells of the block as a user of a spreadsheet program does, and says which cell was typed into.
func (d *demo) person(ctx context.Context) error {
	var typed int
	at, err := d.rewriteBlock(ctx, Workbook, d.placement, func(block *checksum.Grid) (changed *checksum.Grid) {
		changed, typed = sortedAndTyped(block)
		return changed
	})
	d.say("   %s of the sorted block now says %q", placements.Anchor{Row: at.Row + typed, Column: at.Column + typedIn}, typedText)
	return err
}

// rewriteBlock writes other cells into a block, without Mooring, and returns where it stands.
func (d *demo) rewriteBlock(
	ctx context.Context, document, placement string, change func(*checksum.Grid) *checksum.Grid,
) (at placements.Anchor, err error) {
	files, err := xlsx.New(d.folder.sheets())
	if err != nil {
		return at, err
	}
	s, err := files.Open(ctx, document)
	if err != nil {
		return at, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	block := host.Block{Document: document, PlacementID: placement, Sheet: Sheet}
	found, err := s.Read(ctx, []host.Wanted{{Block: block}})
	if err != nil || found[0].Err != nil {
		return at, errors.Join(err, found[0].Err)
	}
	view := found[0].View
	block.SheetID, block.Sheet, block.Anchor = view.SheetID, view.Sheet, view.Anchor
	cells := change(view.Cells)
	_, err = s.Write(ctx, []host.Patch{{Block: block, Grid: cells, Rows: []checksum.Span{{From: 1, To: cells.Rows()}}, Extent: view.Extent}})
	return view.Anchor, err
}

// sortedAndTyped is a block with the rows below its header in reverse order and a text typed into one cell; typed is that cell's row.
func sortedAndTyped(block *checksum.Grid) (sorted *checksum.Grid, typed int) {
	var rows [][]checksum.Cell
	for i := range block.Rows() {
		rows = append(rows, block.Cells(i, nil))
	}
	slices.Reverse(rows[1:])
	var b checksum.Builder
	for i, row := range rows {
		if len(row) > typedIn && row[0].Text == typedState {
			row[typedIn], typed = checksum.Str(typedText), i
		}
		b.Append(row...)
	}
	return b.Grid(), typed
}

func (d *demo) editsPath() string { return d.path() + "/placements/" + d.placement + "/edits" }

// edits refreshes and lists what was kept of the person's.
func (d *demo) edits(ctx context.Context) error {
	if err := d.refresh(ctx); err != nil {
		return err
	}
	list, err := d.api.ListEditsWithResponse(ctx, sampleDeployment, d.report, d.placement, nil)
	if err != nil {
		return err
	}
	d.say("   GET %s", d.editsPath())
	for _, e := range list.JSON200.Items {
		yours, err := json.Marshal(e.Yours)
		if err != nil {
			return err
		}
		source, err := json.Marshal(e.Source)
		if err != nil {
			return err
		}
		d.say("   kept: %s, column %s: %s, where the source has %s", e.Cell, e.Column, yours, source)
	}
	return nil
}

// giveBack returns the typed cell to the source.
func (d *demo) giveBack(ctx context.Context) error {
	d.say("   DELETE %s", d.editsPath())
	if _, err := d.api.ReturnEditsWithResponse(ctx, sampleDeployment, d.report, d.placement, nil, client.EditsToReturn{}); err != nil {
		return err
	}
	return d.refresh(ctx)
}
