package host

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"mooring/checksum"
	"mooring/placements"
)

const (
	graphMaxText = 32_767
	// graphChunkBytes bounds the values of one request: its answer holds them five times.
	graphChunkBytes = 400_000
	// graphGapCells is how many cells between two changed rows are passed over within one request, as nulls, which the
	// service ignores: a request more would cost a twentieth of a batch.
	graphGapCells = 2_000
)

// graphBlock is a patch, the name of the sheet that it is on, and the block's columns with cells of the format @.
type graphBlock struct {
	*placedPatch
	session *graphSession
	name    string
	texts   []bool
}

// appendSteps appends the requests that change the block's cells.
func (b *graphBlock) appendSteps(steps []graphStep) ([]graphStep, error) {
	steps, err := b.appendShifts(steps)
	if err != nil {
		return nil, err
	}
	for _, run := range joinSpans(b.Rows, graphGapCells/max(b.Extent.Columns, 1)) {
		steps = b.appendRows(steps, run)
	}
	for _, r := range b.Clear {
		cells := b.place(r.Row, r.Column, checksum.Extent{Rows: r.Rows, Columns: r.Columns})
		steps = append(steps, b.other(http.MethodPost, cells, "/clear", `{"applyTo":"Contents"}`))
	}
	return steps, nil
}

// checkSize refuses what no worksheet or cell can hold.
func (b *graphBlock) checkSize() error {
	rows, columns := b.reach()
	if b.at.Row+rows-1 > placements.MaxRow || b.at.Column+columns-1 > placements.MaxColumn {
		return b.session.faults.say(placements.Permanent, nil, "The result would reach beyond the last cell of the sheet %q, XFD1048576: "+
			"place the report further up, or let it return less.", b.name)
	}
	return b.session.faults.checkText(b.Grid, b.Rows, graphMaxText)
}

// place is a rectangle relative to where the block stands.
func (b *graphBlock) place(row, column int, size checksum.Extent) graphPlace {
	return graphPlace{sheet: b.name, anchor: placements.Anchor{Row: b.at.Row + row, Column: b.at.Column + column}, size: size}
}

// appendShifts inserts and deletes rows of cells, over the columns that the block has and had.
func (b *graphBlock) appendShifts(steps []graphStep) ([]graphStep, error) {
	for _, s := range b.Shifts {
		verb, body, rows := "/insert", `{"shift":"Down"}`, s.Rows
		if rows < 0 {
			verb, body, rows = "/delete", `{"shift":"Up"}`, -rows
		}
		if rows == 0 || b.wide == 0 {
			return nil, fmt.Errorf("shift at row %d moves nothing", s.At)
		}
		cells := b.place(s.At, 0, checksum.Extent{Rows: rows, Columns: b.wide})
		steps = append(steps, b.other(http.MethodPost, cells, verb, body))
	}
	return steps, nil
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

// appendMarker makes the marker cover the new extent where the block stands in the end, unless it does. The API cannot change what a
// name refers to: it is deleted and added again.
func (b *graphBlock) appendMarker(steps []graphStep) ([]graphStep, error) {
	old, marked := b.session.marker(b.Block.PlacementID)
	size := atLeastOne(b.Extent)
	covers := strings.EqualFold(old.Sheet, b.name) && old.Anchor == b.at && old.Rows == size.Rows && old.Columns == size.Columns
	if covers && len(b.Shifts) == 0 {
		return steps, nil
	}
	if marked {
		steps = append(steps, graphStep{graphRequest: graphSend(http.MethodDelete, b.session.namePath(b.Block.PlacementID), nil)})
	}
	body, err := json.Marshal(map[string]string{
		"name":      markerName(b.Block.PlacementID),
		"reference": "=" + reference(b.name, b.after, b.Extent),
		"comment":   "Marks the block of a report. Deleting it loses track of the block.",
	})
	return append(steps, graphStep{graphRequest: graphSend(http.MethodPost, b.session.workbook(b.session.document)+"/names/add", body)}), err
}
