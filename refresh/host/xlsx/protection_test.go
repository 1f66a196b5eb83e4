package xlsx_test

import (
	"strings"
	"testing"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host/hosttest"
)

// TestRefusesLockedCellsOfAProtectedSheet writes 2 rows and 2 columns at B2. Style 1 is unlocked, style 2 is not.
func TestRefusesLockedCellsOfAProtectedSheet(t *testing.T) {
	const styles = `<styleSheet xmlns="` + mainNS + `"><cellXfs count="3"><xf numFmtId="0"/><xf numFmtId="0" applyProtection="1"><alignment/><protection locked="0"/></xf>` +
		`<xf numFmtId="0" applyProtection="1"><protection locked="1" hidden="1"/></xf></cellXfs></styleSheet>`
	const protected = `<sheetProtection password="CC1A" sheet="1" objects="1"/>`
	unlocked := `<cols><col min="2" max="3" width="9" style="1"/></cols><sheetData/>`
	for name, test := range map[string]struct{ sheet, locked string }{
		"cells without a style":               {`<sheetData/>` + protected, "B2:C3"},
		"cells of a locked style":             {`<sheetData><row r="3"><c r="B3" s="1"/><c r="C3" s="2"/></row><row r="2" s="1" customFormat="1"/></sheetData>` + protected, "C3"},
		"cells in several places":             {`<sheetData><row r="2"><c r="C2" s="1"/></row><row r="3"><c r="B3" s="1"/></row></sheetData>` + protected, "B2, C3"},
		"cells of unlocked columns":           {unlocked + protected, ""},
		"a sheet that is not protected":       {`<sheetData/><sheetProtection objects="1"/>`, ""},
		"cells that everybody may edit":       {`<sheetData/>` + protected + `<protectedRanges><protectedRange sqref="A9 B2:C3" name="a"/></protectedRanges>`, ""},
		"cells that some of them may edit":    {`<sheetData/>` + protected + `<protectedRanges><protectedRange sqref="B2:C2" name="a"/></protectedRanges>`, "B3:C3"},
		"cells that a password lets one edit": {`<sheetData/>` + protected + `<protectedRanges><protectedRange password="CC1A" sqref="B2:C3" name="a"/></protectedRanges>`, "B2:C3"},
		"rows out of order":                   {`<sheetData><row r="3"/><row r="1"/></sheetData>` + protected, "B2:C3"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBook(t, zipPart{"xl/_rels/workbook.xml.rels", relationships(stylesRels)}, zipPart{"xl/styles.xml", styles},
				zipPart{"xl/worksheets/sheet1.xml", sheetXML(test.sheet)})
			before := fileHash(t, b.path())
			err := b.put(t, line(checksum.Num(1), checksum.Num(2)), line(checksum.Num(3), checksum.Num(4)))
			if test.locked == "" {
				if err != nil {
					t.Errorf("Write: %v (%v)", err, unwrap(err))
				}
				return
			}
			fault := hosttest.WantFault(t, err, placements.Conflict)
			if want := "locked cells in the way: " + test.locked + ` on sheet "Sheet1"`; !strings.Contains(fault.Message, want) {
				t.Errorf("message %q, want %q in it", fault.Message, want)
			}
			if fileHash(t, b.path()) != before {
				t.Error("the file changed")
			}
		})
	}
}

func TestNamesSomeOfManyLockedCells(t *testing.T) {
	var unlocked strings.Builder
	for i := range 20 {
		unlocked.WriteString(`<row r="` + placements.Anchor{Row: 1 + i}.String()[1:] + `">`)
		if i%2 == 0 {
			unlocked.WriteString(`<c r="` + placements.Anchor{Row: 1 + i, Column: 1}.String() + `" s="1"/>`)
		}
		unlocked.WriteString(`</row>`)
	}
	b := newBook(t, zipPart{"xl/_rels/workbook.xml.rels", relationships(stylesRels)},
		zipPart{"xl/styles.xml", `<styleSheet xmlns="` + mainNS + `"><cellXfs><xf/><xf><protection locked="false"/></xf></cellXfs></styleSheet>`},
		zipPart{"xl/worksheets/sheet1.xml", sheetXML(`<sheetData>` + unlocked.String() + `</sheetData><sheetProtection sheet="true"/>`)})
	rows := make([][]checksum.Cell, 20)
	for i := range rows {
		rows[i] = line(checksum.Num(1))
	}
	fault := hosttest.WantFault(t, b.put(t, rows...), placements.Conflict)
	if want := "B3, B5, B7, B9 and others on"; !strings.Contains(fault.Message, want) {
		t.Errorf("message %q, want %q in it", fault.Message, want)
	}
}
