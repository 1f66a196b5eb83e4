package host

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

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

// Write is Host's. The steps run in one session, one batch of 20 requests and 2 MB after the other; opening the session
// and seeing whether the document is still the one that was read share a request, which Calls does not count.
func (g *Graph) Write(ctx context.Context, p Patch) (Written, error) {
	w := graphWriting{Graph: g, patch: p}
	err := g.faults.invalidDocument(p.Block.Document)
	if err == nil {
		err = w.write(ctx)
	}
	if err == nil {
		w.written.count(p)
	}
	return w.written, g.fault(ctx, p.Block.Document, err)
}

func (w *graphWriting) write(ctx context.Context) error {
	if err := w.learn(ctx); err != nil {
		return err
	}
	steps, err := w.steps()
	if err != nil || len(steps) == 0 {
		return err
	}
	// All at once, with the session's own three: a write should not have to wait halfway.
	if err := takeQuota(ctx, w.limiter, w.faults, w.quotas, len(steps)+3); err != nil {
		return err
	}
	return w.run(ctx, steps)
}

// learn reads the revision, or finds it out for a patch that has none.
func (w *graphWriting) learn(ctx context.Context) error {
	revision, ok := parseGraphRevision(w.patch.Revision)
	if ok {
		w.revision = revision
		return nil
	}
	if w.patch.Revision != "" {
		return w.faults.changed(w.patch.Block.Document, nil)
	}
	r := graphReading{Graph: w.Graph, block: w.patch.Block}
	err := r.look(ctx)
	w.revision, w.written.Calls = r.revision, r.calls
	return err
}

// graphWriting is one Write in progress.
type graphWriting struct {
	*Graph
	patch    Patch
	revision graphRevision
	written  Written
}

// steps are the requests that apply the patch, in order, the marker's last.
func (w *graphWriting) steps() ([]graphRequest, error) {
	if err := w.checkSize(); err != nil {
		return nil, err
	}
	steps, err := w.shifts()
	if err != nil {
		return nil, err
	}
	for _, s := range joinSpans(w.patch.Rows, graphGapCells/max(w.patch.Extent.Columns, 1)) {
		steps = w.appendRows(steps, s)
	}
	for _, r := range w.patch.Clear {
		cells := w.place(r.Row, r.Column, checksum.Extent{Rows: r.Rows, Columns: r.Columns})
		steps = append(steps, graphSend(http.MethodPost, w.path(cells)+"/clear", []byte(`{"applyTo":"Contents"}`)))
	}
	return w.appendMarker(steps)
}

// checkSize refuses what no worksheet or cell can hold.
func (w *graphWriting) checkSize() error {
	rows, columns := w.patch.reach()
	end := placements.Anchor{Row: w.patch.Block.Anchor.Row + rows - 1, Column: w.patch.Block.Anchor.Column + columns - 1}
	if end.Row > placements.MaxRow || end.Column > placements.MaxColumn {
		return w.faults.say(placements.Permanent, nil, "The result would reach beyond the last cell of the sheet %q, XFD1048576: "+
			"place the report further up, or let it return less.", w.patch.Block.Sheet)
	}
	return w.faults.checkText(w.patch.Grid, w.patch.Rows, graphMaxText)
}

// place is a rectangle relative to the block's anchor.
func (w *graphWriting) place(row, column int, size checksum.Extent) graphPlace {
	a := w.patch.Block.Anchor
	return graphPlace{sheet: w.patch.Block.Sheet, anchor: placements.Anchor{Row: a.Row + row, Column: a.Column + column}, size: size}
}

func (w *graphWriting) path(p graphPlace) string { return w.rangePath(w.patch.Block.Document, p) }

// shifts insert and delete rows of cells, over the columns that the block has and had.
func (w *graphWriting) shifts() ([]graphRequest, error) {
	wide := w.patch.Extent.Columns
	if old, ok := parseGraphMarker(w.revision.Marker); ok {
		wide = max(wide, old.Columns)
	}
	var steps []graphRequest
	for _, s := range w.patch.Shifts {
		verb, body, rows := "/insert", `{"shift":"Down"}`, s.Rows
		if rows < 0 {
			verb, body, rows = "/delete", `{"shift":"Up"}`, -rows
		}
		if rows == 0 || wide == 0 {
			return nil, fmt.Errorf("shift at row %d moves nothing", s.At)
		}
		cells := w.place(s.At, 0, checksum.Extent{Rows: rows, Columns: wide})
		steps = append(steps, graphSend(http.MethodPost, w.path(cells)+verb, []byte(body)))
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
func (w *graphWriting) appendRows(steps []graphRequest, run graphRows) []graphRequest {
	columns := w.patch.Extent.Columns
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
			cells = w.patch.Grid.Cells(row, cells[:0])
			values = append(appendGraphRow(values, cells, columns), ',')
			formats = append(w.appendFormats(formats, row), ',')
		}
		cells := w.place(from, 0, checksum.Extent{Rows: row - from, Columns: columns})
		steps = append(steps, graphSend(http.MethodPatch, w.path(cells), w.rangeBody(values, formats)))
	}
	return steps
}

// rangeBody is the body that sets a range's values, and its formats if any column has one. Both end in a comma.
func (w *graphWriting) rangeBody(values, formats []byte) []byte {
	body := append([]byte(`{"values":[`), values[:len(values)-1]...)
	if w.formatted() {
		body = append(append(body, `],"numberFormat":[`...), formats[:len(formats)-1]...)
	}
	return append(body, "]}"...)
}

func (w *graphWriting) formatted() bool {
	for _, f := range w.patch.Formats {
		if f != "" {
			return true
		}
	}
	return false
}

// appendFormats appends a row of number formats: null leaves a cell's own. The header has none.
func (w *graphWriting) appendFormats(dst []byte, row int) []byte {
	if row == 0 || !w.formatted() {
		return appendNulls(dst, w.patch.Extent.Columns)
	}
	dst = append(dst, '[')
	for column := range w.patch.Extent.Columns {
		if column > 0 {
			dst = append(dst, ',')
		}
		if column < len(w.patch.Formats) && w.patch.Formats[column] != "" {
			dst = appendJSONText(dst, w.patch.Formats[column])
			continue
		}
		dst = append(dst, "null"...)
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

// appendMarker makes the marker cover the new extent, unless it does. The API cannot change what a name refers to: it is
// deleted and added again.
func (w *graphWriting) appendMarker(steps []graphRequest) ([]graphRequest, error) {
	name := xlsxMarkerName(w.patch.Block.PlacementID)
	reference := xlsxReference(w.patch.Block.Sheet, w.patch.Block.Anchor, w.patch.Extent)
	old, marked := parseGraphMarker(w.revision.Marker)
	now, _ := parseGraphMarker(reference)
	if marked && len(w.patch.Shifts) == 0 && old.String() == now.String() {
		return steps, nil
	}
	names := w.workbook(w.patch.Block.Document) + "/names/"
	if w.revision.Marker != "" {
		steps = append(steps, graphSend(http.MethodDelete, names+url.PathEscape(name), nil))
	}
	body, err := json.Marshal(map[string]string{
		"name": name, "reference": "=" + reference, "comment": "Marks the block of a report. Deleting it loses track of the block.",
	})
	return append(steps, graphSend(http.MethodPost, names+"add", body)), err
}
