package google

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"mooring/checksum"
	"mooring/refresh/host"
	"mooring/refresh/host/rest"
)

// It is not verified that the service returns every text as it was written: leading apostrophes, control characters and zero-width spaces
// may get lost. The answer to a write of such cells therefore says what their rows hold now.

// answerFields are the members of that answer. With a mask, it alone decides whether the answer has cells.
const answerFields = "updatedSpreadsheet(sheets(properties(sheetId,title,gridProperties(rowCount,columnCount))," +
	"data(startRow,startColumn,rowData(values(effectiveValue)))))"

// maxRanges bounds the ranges of an answer; with more, one covers them all.
const maxRanges = 200

// fragile reports whether the service may hold a cell otherwise than it is written.
func fragile(c *checksum.Cell) bool {
	switch c.Kind {
	case checksum.Error:
		return true // the mark behind its text is a zero-width space
	case checksum.Text:
		return strings.HasPrefix(c.Text, "'") || strings.ContainsFunc(c.Text, func(r rune) bool {
			return r == '\u200b' || r != '\n' && unicode.IsControl(r)
		})
	}
	return false
}

// lookup is rows of a block that hold fragile cells, and where they stand once all is written.
type lookup struct {
	*rest.PlacedPatch
	rows checksum.Span
	at   place
}

// looks are the rows that the answer to the write is to tell of.
func (w *writing) looks() (list []lookup) {
	for i := range w.blocks {
		b := &w.blocks[i]
		sheet, _ := w.sheetOf(b.Block)
		for _, rows := range fragileRows(b.Patch) {
			at := b.After
			at.Row += rows.From
			size := checksum.Extent{Rows: rows.To - rows.From, Columns: b.Extent.Columns}
			list = append(list, lookup{b, rows, place{sheet.Title, at, size}})
		}
	}
	return list
}

// fragileRows are the rows written that hold fragile cells.
func fragileRows(p *host.Patch) (list []checksum.Span) {
	var cells []checksum.Cell
	for _, s := range host.MergeSpans(slices.Clone(p.Rows)) {
		for row := s.From; row < s.To; row++ {
			cells = p.Grid.Cells(row, cells[:0])
			for i := range cells {
				if !fragile(&cells[i]) {
					continue
				}
				if last := len(list) - 1; last >= 0 && list[last].To == row {
					list[last].To++
				} else {
					list = append(list, checksum.Span{From: row, To: row + 1})
				}
				break
			}
		}
	}
	if len(list) > maxRanges {
		return []checksum.Span{{From: list[0].From, To: list[len(list)-1].To}}
	}
	return list
}

// appendLooks asks for the cells in the body of a batch.
func appendLooks(body []byte, looks []lookup) []byte {
	ranges := make([]string, len(looks))
	for i, l := range looks {
		ranges[i] = l.at.String()
	}
	list, _ := json.Marshal(ranges) // texts always have a JSON form
	body = append(body, `,"includeSpreadsheetInResponse":true,"responseIncludeGridData":true,"responseRanges":`...)
	return append(body, list...)
}

// hold notes what the answer to the write says of the cells that were looked at. Those that it leaves out are taken as written.
func hold(looks []lookup, page *page) {
	for _, l := range looks {
		if data := page.take(l.at); data != nil {
			l.Found = append(l.Found, l.held(data.grid(l.at.size.Rows))...)
		}
	}
}

// heldIn compares fragile cells with what the document holds of them.
func (l lookup) held(now *checksum.Grid) (list []host.Held) {
	written := host.MergeSpans(slices.Clone(l.Rows))
	var wrote, have []checksum.Cell
	for row := l.rows.From; row < l.rows.To; row++ {
		if !host.Holds(written, row) {
			continue // one between those that were written
		}
		wrote, have = l.Grid.Cells(row, wrote[:0]), now.Cells(row-l.rows.From, have[:0])
		formulas := l.FormulasIn(row)
		for column := range wrote {
			cell := checksum.CellAt(have, column)
			formula := slices.ContainsFunc(formulas, func(f host.Formula) bool { return f.Column == column })
			if fragile(&wrote[column]) && !formula && cell != wrote[column] {
				list = append(list, host.Held{Position: host.Position{Row: row, Column: column}, Cell: cell})
			}
		}
	}
	return list
}
