package part

import (
	"regexp"
	"strings"
	"testing"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/xlsx/archive"
	"mooring/refresh/host/xlsx/xml"
)

func TestMarkerNamesAreValidAndDiffer(t *testing.T) {
	valid := regexp.MustCompile(`^_mooring_[a-z0-9_.]+$`)
	seen := map[string]string{}
	for _, id := range []string{
		"plc_1", "plc_1A", "PLC_1A", "a", "A", "a.41", ".41", "a.b", "a-b", "a b", "ü", "", "x.", "x..",
		"0190c7e2-7f5e-7c8a-9c62-2f7d1c1a0b11", strings.Repeat("x", 300), strings.Repeat("x", 301), strings.Repeat("X", 100),
	} {
		name := host.MarkerName(id)
		if id != "" && !valid.MatchString(name) || len(name) > 255 {
			t.Errorf("%q gives %q", id, name)
		}
		folded := strings.ToLower(name)
		if other, ok := seen[folded]; ok {
			t.Errorf("%q and %q share %q", id, other, name)
		}
		seen[folded] = id
	}
	if got, want := host.MarkerName("plc_1A"), "_mooring_plc_1.41"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestMarkerIsLostWhereItPointsNowhere(t *testing.T) {
	at := func(row, column, rows, columns int) BlockPlace {
		return BlockPlace{
			Sheet: Sheet{"It's 1", "4", "s"}, Anchor: placements.Anchor{Row: row, Column: column},
			Extent: checksum.Extent{Rows: rows, Columns: columns}, Marked: true,
		}
	}
	for ref, want := range map[string]BlockPlace{
		"'It''s 1'!$B$2:$D$9":           at(1, 1, 8, 3),
		" 'it''S 1'!$B$2 ":              at(1, 1, 1, 1),
		"'It''s 1'!$D$9:$B$2":           at(1, 1, 8, 3),
		"#REF!":                         {},
		"'It''s 1'!#REF!":               {},
		"#REF!$B$2":                     {},
		"Gone!$B$2":                     {},
		"Chart!$B$2":                    {},
		"[1]Sheet!$B$2":                 {},
		"'It''s 1'!$B$2,'It''s 1'!$D$4": {},
		"'It''s 1'!$B:$D":               {},
		"OFFSET('It''s 1'!$B$2,0,0)":    {},
		"":                              {},
	} {
		wb := &Workbook{
			Sheets: []Sheet{{Name: "Chart"}, {"It's 1", "4", "s"}},
			Names:  []definedName{{Name: "_MOORING_p", Ref: ref}},
		}
		got, ok := wb.Marked("p")
		if got != want || ok != want.Marked {
			t.Errorf("%q: got %+v, %t, want %+v", ref, got, ok, want)
		}
	}
}

func TestSeesMarkersTwice(t *testing.T) {
	const own = `<definedName name="_mooring_p">S!$B$2</definedName>`
	for name, test := range map[string]struct {
		names   string
		doubled bool
	}{
		"one":                      {own, false},
		"another placement's":      {own + `<definedName name="_mooring_q" localSheetId="0">S!$B$2</definedName>`, false},
		"a copied sheet's":         {own + `<definedName name="_mooring_p" localSheetId="0">S!$B$2</definedName>`, true},
		"one that differs in case": {own + `<definedName name="_Mooring_P">S!$B$2</definedName>`, true},
		"only that of a copy":      {`<definedName localSheetId="0" name="_MOORING_P">S!$B$2</definedName>`, true},
		"none":                     {"", false},
	} {
		t.Run(name, func(t *testing.T) {
			doc := `<workbook xmlns:r="r"><sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets><definedNames>` + test.names + `</definedNames></workbook>`
			wb := &Workbook{Doc: []byte(doc), Relations: []archive.Relation{{ID: "r1", Kind: "worksheet", Target: "s"}}}
			if err := wb.parse(); err != nil {
				t.Fatal(err)
			}
			at, err := wb.Locate(host.Block{PlacementID: "p", Sheet: "S", Anchor: placements.Anchor{Row: 8}})
			if err != nil || at.Doubled != test.doubled {
				t.Errorf("doubled %t, %v; want %t", at.Doubled, err, test.doubled)
			}
		})
	}
}

func TestSetsMarkersAmongOtherNames(t *testing.T) {
	const head, sheets = `<workbook xmlns:r="r">`, `<sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets>`
	marker := `<definedName name="_mooring_p" hidden="1">'S'!$B$2:$C$4</definedName>`
	for name, test := range map[string]struct{ before, after string }{
		"no names": {
			sheets + `<calcPr/>`,
			sheets + `<definedNames>` + marker + `</definedNames><calcPr fullCalcOnLoad="1"/>`,
		},
		"no names and no calculation": {sheets, sheets + `<definedNames>` + marker + `</definedNames><calcPr fullCalcOnLoad="1"/>`},
		"behind references of others": {
			sheets + `<externalReferences><externalReference/></externalReferences><oleSize/>`,
			sheets + `<externalReferences><externalReference/></externalReferences><definedNames>` + marker + `</definedNames><calcPr fullCalcOnLoad="1"/><oleSize/>`,
		},
		"an empty list": {sheets + `<definedNames/>`, sheets + `<definedNames>` + marker + `</definedNames><calcPr fullCalcOnLoad="1"/>`},
		"other names": {
			sheets + `<definedNames><definedName name="a">1</definedName></definedNames ><calcPr calcMode="manual"></calcPr>`,
			sheets + `<definedNames><definedName name="a">1</definedName>` + marker + `</definedNames ><calcPr calcMode="manual" fullCalcOnLoad="1"></calcPr>`,
		},
		"a marker that moved": {
			sheets + `<definedNames><definedName name="_Mooring_P" comment="c">S!$A$1</definedName></definedNames><calcPr fullCalcOnLoad="1"/>`,
			sheets + `<definedNames><definedName name="_Mooring_P" comment="c">'S'!$B$2:$C$4</definedName></definedNames><calcPr fullCalcOnLoad="1"/>`,
		},
		"a copied sheet's name is another": {
			sheets + `<definedNames><definedName name="_mooring_p" localSheetId="1">S!$B$2:$C$4</definedName></definedNames><calcPr fullCalcOnLoad="1"/>`,
			sheets + `<definedNames><definedName name="_mooring_p" localSheetId="1">S!$B$2:$C$4</definedName>` + marker + `</definedNames><calcPr fullCalcOnLoad="1"/>`,
		},
		"a marker that stands": {
			sheets + `<definedNames><definedName name="_mooring_p">S!$B$2:$C$4</definedName></definedNames><calcPr fullCalcOnLoad="1"/>`,
			sheets + `<definedNames><definedName name="_mooring_p">S!$B$2:$C$4</definedName></definedNames><calcPr fullCalcOnLoad="1"/>`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			wb := &Workbook{Doc: []byte(head + test.before + `</workbook>`), Relations: []archive.Relation{{ID: "r1", Kind: "worksheet", Target: "s"}}}
			if err := wb.parse(); err != nil {
				t.Fatal(err)
			}
			edits, names := wb.SetMarkers([]host.Patch{{
				Block:  host.Block{PlacementID: "p", Sheet: "S", Anchor: placements.Anchor{Row: 1, Column: 1}},
				Extent: checksum.Extent{Rows: 3, Columns: 2},
			}})
			got := string(xml.Apply(wb.Doc, append(append(edits, wb.AddNames(names)...), wb.Recalculate()...)))
			if want := head + test.after + `</workbook>`; got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}
