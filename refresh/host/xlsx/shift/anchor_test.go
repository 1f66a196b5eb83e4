package shift_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/refresh/host/xlsx/shift"
)

func TestControlsOfASheet(t *testing.T) {
	sheet := func(attrs string, top, bottom int, link string) string {
		return fmt.Sprintf(`<worksheet xmlns:xdr="d"><sheetData/><controls><control name="c"><controlPr linkedCell="%s"><anchor%s><from><xdr:col>1</xdr:col>`+
			`<xdr:colOff>9</xdr:colOff><xdr:row>%d</xdr:row><xdr:rowOff>9</xdr:rowOff></from><to><xdr:col>2</xdr:col><xdr:colOff>9</xdr:colOff>`+
			`<xdr:row>%d</xdr:row><xdr:rowOff>9</xdr:rowOff></to></anchor></controlPr></control></controls></worksheet>`, link, attrs, top, bottom)
	}
	for _, tt := range []struct{ name, doc, want string }{
		{
			name: "moves and grows",
			doc:  sheet(` moveWithCells="1" sizeWithCells="1"`, 3, 6, "B9"), want: sheet(` moveWithCells="1" sizeWithCells="1"`, 3, 8, "B11"),
		},
		{name: "moves", doc: sheet(` moveWithCells="1"`, 4, 6, "F9"), want: sheet(` moveWithCells="1"`, 6, 8, "F9")},
		{name: "keeps its size", doc: sheet(` moveWithCells="1"`, 3, 6, "F9"), want: sheet(` moveWithCells="1"`, 3, 6, "F9")},
		{name: "stays", doc: sheet("", 4, 6, "F9"), want: sheet("", 4, 6, "F9")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			if _, err := shift.Sheet(strings.NewReader(tt.doc), &out, "Data", inserted); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, out.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
