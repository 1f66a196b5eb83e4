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
	// graphChunkBytes bounds the values of one request, so that batches fill well.
	graphChunkBytes = 400_000
	// graphGapCells is how many cells between two changed rows are passed over within one request, as nulls, which the
	// service ignores: a request more would cost a twentieth of a batch.
	graphGapCells = 2_000
)

// graphBlock is a patch and the name of the sheet that it is on.
type graphBlock struct {
	*placedPatch
	session *graphSession
	name    string
}

// appendSteps appends the requests that change the block's cells.
func (b graphBlock) appendSteps(steps []graphRequest) ([]graphRequest, error) {
	steps, err := b.appendShifts(steps)
	if err != nil {
		return nil, err
	}
	for _, s := range joinSpans(b.Rows, graphGapCells/max(b.Extent.Columns, 1)) {
		steps = b.appendRows(steps, s)
	}
	for _, r := range b.Clear {
		cells := b.place(r.Row, r.Column, checksum.Extent{Rows: r.Rows, Columns: r.Columns})
		steps = append(steps, graphSend(http.MethodPost, b.path(cells)+"/clear", []byte(`{"applyTo":"Contents"}`)))
	}
	return steps, nil
}

// checkSize refuses what no worksheet or cell can hold.
func (b graphBlock) checkSize() error {
	rows, columns := b.reach()
	if b.at.Row+rows-1 > placements.MaxRow || b.at.Column+columns-1 > placements.MaxColumn {
		return b.session.faults.say(placements.Permanent, nil, "The result would reach beyond the last cell of the sheet %q, XFD1048576: "+
			"place the report further up, or let it return less.", b.name)
	}
	return b.session.faults.checkText(b.Grid, b.Rows, graphMaxText)
}

// place is a rectangle relative to where the block stands.
func (b graphBlock) place(row, column int, size checksum.Extent) graphPlace {
	return graphPlace{sheet: b.name, anchor: placements.Anchor{Row: b.at.Row + row, Column: b.at.Column + column}, size: size}
}

func (b graphBlock) path(p graphPlace) string { return b.session.rangePath(b.session.document, p) }

// appendShifts inserts and deletes rows of cells, over the columns that the block has and had.
func (b graphBlock) appendShifts(steps []graphRequest) ([]graphRequest, error) {
	for _, s := range b.Shifts {
		verb, body, rows := "/insert", `{"shift":"Down"}`, s.Rows
		if rows < 0 {
			verb, body, rows = "/delete", `{"shift":"Up"}`, -rows
		}
		if rows == 0 || b.wide == 0 {
			return nil, fmt.Errorf("shift at row %d moves nothing", s.At)
		}
		cells := b.place(s.At, 0, checksum.Extent{Rows: rows, Columns: b.wide})
		steps = append(steps, graphSend(http.MethodPost, b.path(cells)+verb, []byte(body)))
	}
	return steps, nil
}

// graphRows is a run of rows to send together. Rows of no span among spans are sent as nulls.
type graphRows struct {
	checksum.Span
	spans []checksum.Span
}

// joinSpans puts spans together that are no more than gap rows apart.
func joinSpans(spans []checksum.Span, gap int) []graphRows {
	var runs []graphRows
	for _, s := range spans {
		if last := len(runs) - 1; last >= 0 && s.From-runs[last].To <= gap {
			runs[last].To = s.To
			runs[last].spans = append(runs[last].spans, s)
			continue
		}
		runs = append(runs, graphRows{Span: s, spans: []checksum.Span{s}})
	}
	return runs
}

// appendRows writes a run of rows with their columns' number formats.
func (b graphBlock) appendRows(steps []graphRequest, run graphRows) []graphRequest {
	columns := b.Extent.Columns
	if columns == 0 {
		return steps
	}
	var cells []checksum.Cell
	for row, next := run.From, 0; row < run.To; {
		from := row
		var values, formats []byte
		for ; row < run.To && len(values) < graphChunkBytes; row++ {
			for row >= run.spans[next].To {
				next++
			}
			if row < run.spans[next].From {
				values = append(appendNulls(values, columns), ',')
				formats = append(appendNulls(formats, columns), ',')
				continue
			}
			formulas := b.formulasIn(row)
			cells = b.Grid.Cells(row, cells[:0])
			values = append(appendGraphRow(values, cells, formulas, columns), ',')
			formats = append(b.appendFormats(formats, row, formulas), ',')
		}
		cells := b.place(from, 0, checksum.Extent{Rows: row - from, Columns: columns})
		steps = append(steps, graphSend(http.MethodPatch, b.path(cells), b.rangeBody(values, formats)))
	}
	return steps
}

// rangeBody is the body that sets a range's values, and its formats if any column has one. Both end in a comma.
func (b graphBlock) rangeBody(values, formats []byte) []byte {
	body := append([]byte(`{"values":[`), values[:len(values)-1]...)
	if b.formatted() {
		body = append(append(body, `],"numberFormat":[`...), formats[:len(formats)-1]...)
	}
	return append(body, "]}"...)
}

// appendFormats appends a row of number formats: null leaves a cell's own. The header has none.
func (b graphBlock) appendFormats(dst []byte, row int, formulas []Formula) []byte {
	if row == 0 || !b.formatted() {
		return appendNulls(dst, b.Extent.Columns)
	}
	dst = append(dst, '[')
	for column := range b.Extent.Columns {
		if column > 0 {
			dst = append(dst, ',')
		}
		format, ok := b.numberFormat(column)
		switch {
		case !ok || stays(formulas, column):
			dst = append(dst, "null"...)
		case format == "":
			dst = append(dst, `"General"`...)
		default:
			dst = appendJSONText(dst, format)
		}
	}
	return append(dst, ']')
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
func (b graphBlock) appendMarker(steps []graphRequest) ([]graphRequest, error) {
	old, marked := b.session.marker(b.Block.PlacementID)
	size := atLeastOne(b.Extent)
	covers := strings.EqualFold(old.Sheet, b.name) && old.Anchor == b.at && old.Rows == size.Rows && old.Columns == size.Columns
	if covers && len(b.Shifts) == 0 {
		return steps, nil
	}
	if marked {
		steps = append(steps, graphSend(http.MethodDelete, b.session.namePath(b.Block.PlacementID), nil))
	}
	body, err := json.Marshal(map[string]string{
		"name":      xlsxMarkerName(b.Block.PlacementID),
		"reference": "=" + xlsxReference(b.name, b.after, b.Extent),
		"comment":   "Marks the block of a report. Deleting it loses track of the block.",
	})
	return append(steps, graphSend(http.MethodPost, b.session.workbook(b.session.document)+"/names/add", body)), err
}
