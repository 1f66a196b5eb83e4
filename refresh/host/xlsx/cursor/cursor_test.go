package cursor

import (
	"strings"
	"testing"

	"mooring/refresh/host/xlsx/xml"
)

func TestSkipRowDeclinesWhatMatters(t *testing.T) {
	for row, skipped := range map[string]bool{
		`<c r="A1"><v>1</v></c>`:                 true,
		`<c r="A1"><f>1</f><v>1</v></c>`:         false,
		`<c r="A1"/><!-- </row> -->`:             false,
		`<c><v><![CDATA[</row>]]></v></c>`:       false,
		`<c r="A1"/></row ><row r="2"><c/>`:      false,
		`<c t="inlineStr"><is><r/></is></c>`:     false,
		``:                                       false,
		`<c r="A1"><v>1</v></c><c><v>1</v>`:      true, // nesting is looked at only where cells are
		strings.Repeat(`<c/>`, xml.BufferSize/4): false,
	} {
		s := xml.NewScanner(strings.NewReader(`<row>` + row + `</row>`))
		if err := s.Next(); err != nil {
			t.Fatal(err)
		}
		if got := SkipRow(s); got != skipped {
			t.Errorf("%.60q: skipped %t, want %t", row, got, skipped)
		}
		if skipped && string(s.Raw) != row {
			t.Errorf("took %q, want %q", s.Raw, row)
		}
	}
}
