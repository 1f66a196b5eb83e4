package xlsx_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
	"mooring/refresh/host/hosttest"
)

// TestHiddenRowsAreShownWhereTheBlockGrows lets a block with a total below grow into hidden rows.
func TestHiddenRowsAreShownWhereTheBlockGrows(t *testing.T) {
	const block = `<row r="2"><c r="B2" t="str"><v>a</v></c><c r="C2" t="str"><v>b</v></c></row><row r="3"><c r="B3"><v>0</v></c><c r="C3"><v>1</v></c></row>`
	const grown = block + `<row r="4"><c r="B4"><v>1</v></c><c r="C4"><v>1</v></c></row>`
	for name, test := range map[string]struct {
		below, want string
		rows        int
		shifts      bool
		shown       []checksum.Span
	}{
		"its new row and its total": {
			rows: 2, shifts: true,
			below: `<row r="4"><c r="C4"><f>SUM(C2:C3)</f></c></row><row r="5" hidden="1"/><row r="6" hidden="1"><c r="F6"><v>9</v></c></row>`,
			want: grown + `<row r="5"><c r="B5"><v>2</v></c><c r="C5"><v>1</v></c></row>` +
				`<row r="6"><c r="C6"><f>SUM(C2:C5)</f></c><c r="F6"><v>9</v></c></row>`,
			shown: []checksum.Span{{From: 4, To: 6}},
		},
		"a total that was hidden stays hidden": {
			rows: 1, shifts: true,
			below: `<row r="4" hidden="1"><c r="C4"><f>SUM(C2:C3)</f></c></row><row r="5" hidden="1"/>`,
			want:  grown + `<row r="5" hidden="1"><c r="C5"><f>SUM(C2:C4)</f></c></row>`,
			shown: []checksum.Span{{From: 3, To: 4}},
		},
		"its new row where nothing moves": {
			rows:  1,
			below: `<row r="4" hidden="1"/><row r="5" hidden="1"/>`,
			want:  grown + `<row r="5" hidden="1"/>`,
			shown: []checksum.Span{{From: 3, To: 4}},
		},
		"none": {
			rows: 1, shifts: true,
			below: `<row r="7" hidden="1"><c r="F7"><v>9</v></c></row>`,
			want:  grown + `<row r="7" hidden="1"><c r="F7"><v>9</v></c></row>`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			const marker = `<definedNames><definedName name="_mooring_p1" hidden="1">'Sheet1'!$B$2:$C$3</definedName></definedNames>`
			b := newBook(t, zipPart{"xl/workbook.xml", workbookXML(marker)}, zipPart{sheet1, sheetXML("<sheetData>" + block + test.below + "</sheetData>")})
			p := b.grown(test.rows)
			if !test.shifts {
				p.Shifts = nil
			}
			w, err := hosttest.WritePatch(b.host, p)
			if err != nil {
				t.Fatal(err, unwrap(err))
			}
			if diff := cmp.Diff(test.want, b.rowsOf(t)); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.shown, w.Shown); diff != "" {
				t.Errorf("shown (-want +got):\n%s", diff)
			}
		})
	}
}
