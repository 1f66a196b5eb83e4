package shift

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"testing"

	"mooring/placements"
	"mooring/refresh/host/formula"
)

// parts reads texts one behind the other.
type parts struct {
	next func() (string, bool)
	rest string
}

func (p *parts) Read(b []byte) (int, error) {
	for p.rest == "" {
		var ok bool
		if p.rest, ok = p.next(); !ok {
			return 0, io.EOF
		}
	}
	n := copy(b, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}

// endless begins with a text and goes on with another.
func endless(begin, further string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for more := yield(begin); more; more = yield(further) {
		}
	}
}

// TestTooLarge moves cells of sheets that are made to exhaust the machine.
func TestTooLarge(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	for _, tt := range []struct {
		name string
		by   formula.CellShift
		doc  iter.Seq[string]
		want string
	}{
		{
			name: "cells beside a million rows deleted",
			by:   formula.CellShift{Row: 1, Rows: -1_000_000},
			doc: func(yield func(string) bool) {
				more := yield("<worksheet><sheetData>")
				for row := 1; more && row <= 2*maxHeld>>20; row++ {
					more = yield(fmt.Sprintf(`<row r="%d"><c r="Z%[1]d" t="inlineStr"><is><t>%s</t></is></c></row>`, row, long))
				}
				if more {
					yield("</sheetData></worksheet>")
				}
			},
			want: `too many cells beside the rows that are inserted or deleted on sheet "Data"`,
		},
		{
			name: "a cell with too much in it",
			by:   formula.CellShift{Row: 4, Rows: 2},
			doc:  endless(`<worksheet><sheetData><row r="9"><c r="B9"><is>`, "<t>"+long+"</t>"),
			want: `too many cells beside the rows that are inserted or deleted on sheet "Data"`,
		},
		{
			name: "too much behind the cells of a row",
			by:   formula.CellShift{Row: 4, Rows: 2},
			doc:  endless(`<worksheet><sheetData><row r="9"><extLst>`, "<t>"+long+"</t>"),
			want: `too many cells beside the rows that are inserted or deleted on sheet "Data"`,
		},
		{
			name: "a formula with too much in it",
			by:   formula.CellShift{Row: 4, Rows: 2},
			doc:  endless(`<worksheet><sheetData><row r="1"><c r="B1"><f>`, "<t>"+long+"</t>"),
			want: `too many characters in a formula on sheet "Data"`,
		},
		{
			name: "shared formulas of one cell each",
			by:   formula.CellShift{Row: 4, Rows: 2},
			doc: func(yield func(string) bool) {
				text := `A1&amp;"` + long + `"`
				more := yield("<worksheet><sheetData>")
				for row := 1; more; row++ {
					more = yield(fmt.Sprintf(`<row><c><f t="shared" si="%d" ref="A%[1]d">%s</f></c></row>`, row, text))
				}
			},
			want: `too many shared formulas on sheet "Data"`,
		},
		{
			name: "formula filled into a hundred thousand cells",
			by:   formula.CellShift{Row: 4, Rows: 2},
			doc: func(yield func(string) bool) {
				const text = `A1&amp;"%s"`
				more := yield(`<worksheet><sheetData><row><c><f t="shared" si="0" ref="A1:A100000">` + fmt.Sprintf(text, long[:8000]) + "</f></c></row>")
				for row := 2; more && row <= 100_000; row++ {
					more = yield(`<row><c><f t="shared" si="0"/></c></row>`)
				}
				if more {
					yield("</sheetData></worksheet>")
				}
			},
			want: `too many formulas filled from one on sheet "Data"`,
		},
		{
			name: "a million rows inserted below one with a style",
			by:   formula.CellShift{Row: 4, Rows: 1_000_000, Right: placements.MaxColumn},
			doc: func(yield func(string) bool) {
				_ = yield(`<worksheet><sheetData><row r="4" s="1" customFormat="1"/></sheetData></worksheet>`)
			},
			want: `too many cells with a style in the columns that move on sheet "Data"`,
		},
		{
			name: "elements beside the rows",
			by:   formula.CellShift{Row: 4, Rows: 2},
			doc: func(yield func(string) bool) {
				_ = yield("<worksheet><sheetData/><mergeCells>"+strings.Repeat("<a/>", maxNodes)) && yield("</mergeCells></worksheet>")
			},
			want: `too many merged cells, links or rules on sheet "Data"`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			next, stop := iter.Pull(tt.doc)
			defer stop()
			tt.by.Sheet, tt.by.Right, tt.by.Block = "Data", max(tt.by.Right, 9), placements.Rect{Bottom: 9, Right: 9}
			_, err := Sheet(&parts{next: next}, io.Discard, "Data", &Moves{Sheets: []string{"Data"}, By: formula.Shifts{tt.by}})
			if large := (*TooLarge)(nil); !errors.As(err, &large) || large.Error() != tt.want {
				t.Errorf("%v, want %s", err, tt.want)
			}
		})
	}
}
