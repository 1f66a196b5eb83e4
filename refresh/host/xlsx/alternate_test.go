package xlsx_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
)

const mcNS = "http://schemas.openxmlformats.org/markup-compatibility/2006"

// alternate is an AlternateContent of two branches, the first for programs that know uri.
func alternate(uri, choice, fallback string) string {
	return `<mc:AlternateContent xmlns:mc="` + mcNS + `"><mc:Choice xmlns:o="` + uri + `" Requires="o">` + choice + `</mc:Choice>` +
		`<mc:Fallback>` + fallback + `</mc:Fallback></mc:AlternateContent>`
}

const (
	knownNS   = "http://schemas.microsoft.com/office/spreadsheetml/2009/9/main"
	unknownNS = "http://schemas.haansoft.com/office/spreadsheet/8.0"
)

func TestCountsStylesOfOneAlternativeOnly(t *testing.T) {
	xf := func(font string) string { return `<xf numFmtId="0" fontId="` + font + `"/>` }
	for name, test := range map[string]struct{ styles, added string }{
		"the other makers' are passed by": {xf("0") + alternate(unknownNS, xf("1"), xf("2")) + xf("3"), `fontId="2"`},
		"the known ones count":            {xf("0") + alternate(knownNS, xf("1"), xf("2")) + xf("3"), `fontId="1"`},
		"one without a fallback":          {xf("0") + alternate(unknownNS, xf("1"), "") + xf("2") + xf("3"), `fontId="2"`},
		"an empty choice that counts":     {xf("0") + strings.ReplaceAll(alternate(knownNS, "", xf("1")), "></mc:Choice>", "/>") + xf("2") + xf("3"), `fontId="2"`},
	} {
		t.Run(name, func(t *testing.T) {
			styles := `<styleSheet xmlns="` + mainNS + `"><cellXfs count="3">` + test.styles + `</cellXfs></styleSheet>`
			b := newBook(t, zipPart{"xl/_rels/workbook.xml.rels", relationships(stylesRels)}, zipPart{"xl/styles.xml", styles},
				zipPart{"xl/worksheets/sheet1.xml", sheetXML(`<sheetData><row r="3"><c r="B3" s="1"/></row><row r="4"><c r="B4" s="2"/></row></sheetData>`)})
			putDates(t, b, "yyyy-mm-dd")
			if got := b.rowsOf(t); !strings.Contains(got, `<c r="B3" s="3">`) {
				t.Errorf("rows = %s, want B3 in the fourth style", got)
			}
			got := b.part(t, "xl/styles.xml")
			want := `<xf numFmtId="164" ` + test.added + ` applyNumberFormat="1"/>`
			if !strings.Contains(got, want) || !strings.Contains(got, test.styles) || !strings.Contains(got, `<cellXfs count="5">`) {
				t.Errorf("styles = %s, want %s besides what there was", got, want)
			}
		})
	}
}

func TestWritesRowsOfOneAlternativeOnly(t *testing.T) {
	data := func(cell string) string { return `<sheetData><row r="2">` + cell + `</row></sheetData>` }
	old, written := data(`<c r="B2"><v>1</v></c>`), data(`<c r="B2"><v>5</v></c>`)
	for name, test := range map[string]struct{ before, after string }{
		"the fallback": {alternate(unknownNS, old, old), alternate(unknownNS, old, written)},
		"the choice":   {alternate(knownNS, old, old), alternate(knownNS, written, old)},
		"none before the sheet's own": {
			alternate(unknownNS, old, "") + old, alternate(unknownNS, old, "") + written,
		},
		"none of an extension": {
			old + `<extLst><ext uri="{0}">` + old + `</ext></extLst>`, written + `<extLst><ext uri="{0}">` + old + `</ext></extLst>`,
		},
		"cells of the fallback": {
			data(alternate(unknownNS, `<c r="B2"><v>7</v></c>`, `<c r="B2"><v>1</v></c>`)),
			data(alternate(unknownNS, `<c r="B2"><v>7</v></c>`, `<c r="B2"><v>5</v></c>`)),
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBook(t, zipPart{"xl/worksheets/sheet1.xml", sheetXML(test.before)})
			if got := b.read(t, 1, 1).Cells.Cells(0, nil); len(got) != 1 || got[0] != checksum.Num(1) {
				t.Errorf("read %v, want 1", got)
			}
			b.mustPut(t, line(checksum.Num(5)))
			if diff := cmp.Diff(sheetXML(test.after), b.part(t, "xl/worksheets/sheet1.xml")); diff != "" {
				t.Errorf("sheet (-want +got):\n%s", diff)
			}
		})
	}
}
