package graph

import (
	"net/http"
	"slices"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/rest"
)

// step is a request of a write. One that sets rows of a block can be sent in parts.
type step struct {
	request
	adds    string // the name that it adds
	beside  bool   // it comes last, and the write is done without it
	block   *block // nil unless it is about cells
	cells   place
	rows    rowPieces     // that it sets; no spans when it does something else
	columns checksum.Span // of them
}

// rowPieces is a run of rows to send together. Rows of no span among spans are sent as nulls.
type rowPieces struct {
	checksum.Span
	spans []checksum.Span
}

// joinSpans puts spans together that are no more than gap rows apart.
func joinSpans(spans []checksum.Span, gap int) []rowPieces {
	var runs []rowPieces
	for _, s := range spans {
		if last := len(runs) - 1; last >= 0 && s.From-runs[last].To <= gap {
			runs[last].To = s.To
			runs[last].spans = append(runs[last].spans, s)
			continue
		}
		runs = append(runs, rowPieces{Span: s, spans: []checksum.Span{s}})
	}
	return runs
}

// cut is the part of a run between two rows, from its first row of a span to its last.
func (r rowPieces) cut(from, to int) rowPieces {
	var part rowPieces
	for _, s := range r.spans {
		if s = (checksum.Span{From: max(s.From, from), To: min(s.To, to)}); s.From < s.To {
			part.spans = append(part.spans, s)
		}
	}
	if n := len(part.spans); n > 0 {
		part.Span = checksum.Span{From: part.spans[0].From, To: part.spans[n-1].To}
	}
	return part
}

// appendRows writes a run of rows with their columns' number formats, in requests that the service can answer.
func (b *block) appendRows(steps []step, run rowPieces) []step {
	most := max(1, rangeCells/max(b.Extent.Columns, 1))
	for b.Extent.Columns > 0 && len(run.spans) > 0 {
		end, size := run.From, 0
		for end < run.To && end < run.From+most && size < chunkBytes {
			size += len(b.Grid.Row(end))
			end++
		}
		steps = append(steps, b.set(run.cut(run.From, end), checksum.Span{To: b.Extent.Columns}))
		run = run.cut(end, run.To)
	}
	return steps
}

// other is a step about cells that sets none.
func (b *block) other(method string, cells place, verb, body string) step {
	path := b.session.rangePath(b.session.document, cells) + verb
	return step{request: sendBody(method, path, []byte(body)), block: b, cells: cells}
}

// set is the step that sets some columns of a run of rows.
func (b *block) set(run rowPieces, columns checksum.Span) step {
	place := b.place(run.From, columns.From, checksum.Extent{Rows: run.To - run.From, Columns: columns.To - columns.From})
	var cells []checksum.Cell
	var values, formats []byte
	formatted := b.Formatted() || slices.Contains(b.texts, true)
	for row, next := run.From, 0; row < run.To; row++ {
		for row >= run.spans[next].To {
			next++
		}
		if row < run.spans[next].From {
			values = append(appendNulls(values, columns.To-columns.From), ',')
			formats = append(appendNulls(formats, columns.To-columns.From), ',')
			continue
		}
		formulas := b.FormulasIn(row)
		cells = b.Grid.Cells(row, cells[:0])
		values = append(appendGraphRow(values, cells, formulas, columns), ',')
		formats = append(b.appendFormats(formats, row, cells, formulas, columns), ',')
	}
	body := append([]byte(`{"values":[`), values[:len(values)-1]...)
	if formatted {
		body = append(append(body, `],"numberFormat":[`...), formats[:len(formats)-1]...)
	}
	path := b.session.rangePath(b.session.document, place)
	request := sendBody(http.MethodPatch, path, append(body, "]}"...))
	return step{request: request, block: b, cells: place, rows: run, columns: columns}
}

// appendFormats appends a row of number formats: null leaves a cell's own.
func (b *block) appendFormats(dst []byte, row int, cells []checksum.Cell, formulas []host.Formula, columns checksum.Span) []byte {
	dst = append(dst, '[')
	for column := columns.From; column < columns.To; column++ {
		if column > columns.From {
			dst = append(dst, ',')
		}
		if format := b.format(row, column, cells, formulas); format != "" && !host.Stays(formulas, column) {
			dst = rest.AppendJSONText(dst, format)
			continue
		}
		dst = append(dst, "null"...)
	}
	return append(dst, ']')
}

// format is the number format that a cell is given: its column's below the header, or none. In a cell of the format @ all but text would
// become text, so there it is General.
func (b *block) format(row, column int, cells []checksum.Cell, formulas []host.Formula) string {
	own, ok := b.NumberFormat(column)
	switch {
	case row > 0 && ok && own == "":
		return general
	case row > 0 && ok:
		return own
	case column >= len(b.texts) || !b.texts[column]:
		return ""
	case slices.ContainsFunc(formulas, func(f host.Formula) bool { return f.Column == column }):
		return general
	case column < len(cells) && cells[column].Kind != checksum.Text && cells[column].Kind != checksum.Empty:
		return general
	}
	return ""
}

// halves are two steps that together do the same, for a service to which the one was too much; none when it cannot be halved.
func (s *step) halves() []step {
	if rows := s.rows.To - s.rows.From; rows > 1 {
		middle := s.rows.From + rows/2
		var halves []step
		for _, half := range []rowPieces{s.rows.cut(s.rows.From, middle), s.rows.cut(middle, s.rows.To)} {
			if len(half.spans) > 0 {
				halves = append(halves, s.block.set(half, s.columns))
			}
		}
		return halves
	}
	if len(s.rows.spans) == 0 || s.columns.To-s.columns.From < 2 {
		return nil
	}
	middle := (s.columns.From + s.columns.To) / 2
	return []step{
		s.block.set(s.rows, checksum.Span{From: s.columns.From, To: middle}),
		s.block.set(s.rows, checksum.Span{From: middle, To: s.columns.To}),
	}
}

// apart are steps that together do the same without touching the cells that stay: over a locked cell even a null is refused. There are
// none when the step touches no such cell.
func (s *step) apart() []step {
	var steps []step
	for _, span := range s.rows.spans {
		for row := span.From; row < span.To; row++ {
			if !host.AnyStays(s.block.FormulasIn(row)) {
				continue
			}
			steps = s.appendSpan(steps, checksum.Span{From: span.From, To: row})
			steps = s.appendPieces(steps, row)
			span.From = row + 1
		}
		steps = s.appendSpan(steps, span)
	}
	if len(steps) == 1 && steps[0].cells == s.cells {
		return nil
	}
	return steps
}

func (s *step) appendSpan(steps []step, span checksum.Span) []step {
	if span.From == span.To {
		return steps
	}
	return append(steps, s.block.set(rowPieces{span, []checksum.Span{span}}, s.columns))
}

// appendPieces appends a row without the cells that stay.
func (s *step) appendPieces(steps []step, row int) []step {
	span := checksum.Span{From: row, To: row + 1}
	run := rowPieces{span, []checksum.Span{span}}
	from := s.columns.From
	for _, f := range s.block.FormulasIn(row) {
		if f.Text != "" || f.Column < from || f.Column >= s.columns.To {
			continue
		}
		if f.Column > from {
			steps = append(steps, s.block.set(run, checksum.Span{From: from, To: f.Column}))
		}
		from = f.Column + 1
	}
	if from < s.columns.To {
		steps = append(steps, s.block.set(run, checksum.Span{From: from, To: s.columns.To}))
	}
	return steps
}

// block is a patch, the name of the sheet that it is on, and the block's columns with cells of the format @.
type block struct {
	*rest.PlacedPatch
	session *session
	name    string
	texts   []bool
	around  around
}

// place is a rectangle relative to where the block stands.
func (b *block) place(row, column int, size checksum.Extent) place {
	return place{sheet: b.name, anchor: placements.Anchor{Row: b.At.Row + row, Column: b.At.Column + column}, size: size}
}
