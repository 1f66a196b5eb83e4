package graph

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/rest"
)

const (
	maxText = 32_767
	// chunkBytes bounds the values of one request: its answer holds them five times.
	chunkBytes = 400_000
	// gapCells is how many cells between two changed rows are passed over within one request, as nulls, which the
	// service ignores: a request more would cost a twentieth of a batch.
	gapCells = 2_000
)

func (b *block) appendRowsAndClears(steps []step) []step {
	for _, run := range joinSpans(b.Rows, gapCells/max(b.Extent.Columns, 1)) {
		steps = b.appendRows(steps, run)
	}
	for _, r := range b.Clear {
		cells := b.place(r.Row, r.Column, checksum.Extent{Rows: r.Rows, Columns: r.Columns})
		steps = append(steps, b.other(http.MethodPost, cells, "/clear", `{"applyTo":"Contents"}`))
	}
	return steps
}

// checkSize refuses what no worksheet or cell can hold.
func (b *block) checkSize() error {
	rows, columns := b.Reach()
	if b.At.Row+rows-1 > placements.MaxRow || b.At.Column+columns-1 > placements.MaxColumn {
		return b.session.faults.Say(placements.Permanent, nil, "The result would reach beyond the last cell of the sheet %q, XFD1048576: "+
			"place the report further up, or let it return less.", b.name)
	}
	return b.session.faults.CheckText(b.Grid, b.Rows, maxText)
}

// appendShifts inserts and deletes rows of cells, over the columns that the block has and had.
func (b *block) appendShifts(steps []step) ([]step, error) {
	for _, s := range b.Shifts {
		verb, body, rows := "/insert", `{"shift":"Down"}`, s.Rows
		if rows < 0 {
			verb, body, rows = "/delete", `{"shift":"Up"}`, -rows
		}
		if rows == 0 || b.Wide == 0 {
			return nil, fmt.Errorf("shift at row %d moves nothing", s.At)
		}
		cells := b.place(s.At, 0, checksum.Extent{Rows: rows, Columns: b.Wide})
		steps = append(steps, b.other(http.MethodPost, cells, verb, body))
		if first := b.around.first; underHeader(s) && first != nil && len(first.formats) == b.Wide {
			steps = b.appendFirstFormats(steps, s)
		}
	}
	return steps, nil
}

// appendFirstFormats takes the formats of the header off rows inserted under it, which the service gave them, and gives them the number
// formats of the row below. It can copy no other formats.
func (b *block) appendFirstFormats(steps []step, s checksum.Shift) []step {
	cells := b.place(s.At, 0, checksum.Extent{Rows: s.Rows, Columns: b.Wide})
	steps = append(steps, b.other(http.MethodPost, cells, "/clear", `{"applyTo":"Formats"}`))
	row, _ := json.Marshal(b.around.first.formats) // texts always have a JSON form
	most := max(1, filledCells/b.Wide)
	for from := s.At; from < s.At+s.Rows; from += most {
		rows := min(most, s.At+s.Rows-from)
		body := `{"numberFormat":[` + strings.Repeat(string(row)+",", rows-1) + string(row) + `]}`
		steps = append(steps, b.other(http.MethodPatch, b.place(from, 0, checksum.Extent{Rows: rows, Columns: b.Wide}), "", body))
	}
	return steps
}

func appendNulls(dst []byte, columns int) []byte {
	dst = append(dst, '[')
	for i := range columns {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, "null"...)
	}
	return append(dst, ']')
}

// appendMarker makes the marker cover the new extent at a cell, unless it does. The API cannot change what a name refers to: it is deleted
// and added again.
func (b *block) appendMarker(steps []step, at placements.Anchor) ([]step, error) {
	old, marked := b.session.marker(b.Block.PlacementID)
	size := rest.AtLeastOne(b.Extent)
	covers := strings.EqualFold(old.Sheet, b.name) && old.Anchor == b.At && old.Rows == size.Rows && old.Columns == size.Columns
	if covers && len(b.Shifts) == 0 || marked && b.markerFollows(old) {
		return b.appendStamp(steps)
	}
	if marked {
		steps = append(steps, step{request: sendBody(http.MethodDelete, b.session.namePath(b.Block.PlacementID), nil)})
	}
	comment := cmp.Or(b.Stamp, b.session.stamp(b.Block.PlacementID), "Marks the block of a report. Deleting it loses track of the block.")
	add, err := b.session.add(host.MarkerName(b.Block.PlacementID), host.Reference(b.name, at, b.Extent), comment)
	return append(steps, add), err
}

// appendStamp sets the comment of a marker that stays, if anything is written.
func (b *block) appendStamp(steps []step) ([]step, error) {
	if b.Stamp == "" || len(steps) == 0 || b.Stamp == b.session.stamp(b.Block.PlacementID) {
		return steps, nil
	}
	body, err := json.Marshal(map[string]string{"comment": b.Stamp})
	return append(steps, step{request: sendBody(http.MethodPatch, b.session.namePath(b.Block.PlacementID), body)}), err
}

// markerFollows reports whether the shifts alone make the marker cover the new extent, as the service lets a name follow cells.
func (b *block) markerFollows(old placements.Location) bool {
	rows := b.Had.Rows
	for _, s := range b.Shifts {
		if s.At == 0 || s.Rows > 0 && s.At >= rows {
			return false
		}
		rows += s.Rows
	}
	return len(b.Shifts) > 0 && strings.EqualFold(old.Sheet, b.name) && old.Anchor == b.At && old.Rows == b.Had.Rows &&
		old.Columns == b.Extent.Columns
}
