package shift

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mooring/placements"
	"mooring/refresh/host/formula"
	"mooring/refresh/host/xlsx/cursor"
	"mooring/refresh/host/xlsx/xml"
)

// filledSheet is a sheet with a formula that was filled from the first cell of an area, either shared or written out.
func filledSheet(t *rapid.T, text string, over placements.Rect, shared bool) string {
	var doc strings.Builder
	doc.WriteString("<worksheet><sheetData>")
	parts := formula.Cut(text)
	for row := over.Top; row <= over.Bottom; row++ {
		fmt.Fprintf(&doc, `<row r="%d">`, row+1)
		for column := over.Left; column <= over.Right; column++ {
			own, ok := formula.Move(parts, row-over.Top, column-over.Left)
			if !ok {
				t.Skip("off the sheet")
			}
			attrs := ""
			if shared {
				if attrs = ` t="shared" si="0"`; row == over.Top && column == over.Left {
					attrs += fmt.Sprintf(` ref="%s"`, rangeName(over))
				} else {
					own = ""
				}
			}
			fmt.Fprintf(&doc, `<c r="%s"><f%s>%s</f></c>`, placements.Anchor{Row: row, Column: column}, attrs, own)
		}
		doc.WriteString("</row>")
	}
	doc.WriteString("</sheetData></worksheet>")
	return doc.String()
}

// formulasOf returns the formulas of a sheet's cells, shared ones written out.
func formulasOf(t *rapid.T, doc string) map[string]string {
	type shared struct {
		at    placements.Anchor
		parts []formula.Part
	}
	found, groups := map[string]string{}, map[string]shared{}
	s, at := xml.NewScanner(strings.NewReader(doc)), cursor.New()
	for s.Next() == nil {
		var err error
		switch {
		case s.Opens("row"):
			err = at.ToRow(s)
		case s.Opens("c"):
			err = at.ToCell(s)
		case s.Opens("f"):
			place, index := placements.Anchor(at.Spot), s.Attr("si")
			text := ""
			for s.Kind != xml.End && s.Kind != xml.Empty {
				if err = s.Next(); err != nil {
					break
				}
				if s.Kind == xml.Text {
					text += string(s.Raw)
				}
			}
			if g, ok := groups[index]; text == "" && ok {
				text, _ = formula.Move(g.parts, place.Row-g.at.Row, place.Column-g.at.Column)
			} else if index != "" {
				groups[index] = shared{place, formula.Cut(text)}
			}
			found[place.String()] = text
		}
		if err != nil {
			t.Fatalf("%s: %v", doc, err)
		}
	}
	return found
}

// TestSharedFormulasFollowAsIfWrittenOut shifts formulas filled over an area, once shared and once each in its own cell.
func TestSharedFormulasFollowAsIfWrittenOut(t *testing.T) {
	operand := rapid.SampledFrom([]string{
		"A9", "$B9", "C$9", "$C$9", "B10", "C8", "SUM(B$6:B9)", "SUM(B$6:B$12)", "SUM($B$6:C9)", "SUM(B9:B$12)", "SUM(B8:C10)",
		"SUM(A9:C9)", "SUM(B:C)",
		"SUM(B$6:B6)", "SUM(C12:C$12)", "Data!B9", "SUM(Data!B$6:B$12)", "Other!B9", "SUM(Data!C$6:C6)",
	})
	rapid.Check(t, func(t *rapid.T) {
		m := &Moves{Sheets: []string{"Data", "Other"}}
		block := placements.Rect{Top: 4, Left: 1, Bottom: rapid.IntRange(4, 14).Draw(t, "bottom"), Right: 2}
		for range rapid.IntRange(1, 3).Draw(t, "shifts") {
			s := formula.CellShift{Sheet: "Data", Left: 1, Right: rapid.IntRange(2, 4).Draw(t, "right"), Block: block}
			s.Row = rapid.IntRange(block.Top+1, block.Bottom+1).Draw(t, "row")
			if s.Rows = rapid.IntRange(-3, 3).Draw(t, "rows"); s.Rows == 0 || s.Row-s.Rows > block.Bottom+1 {
				s.Rows = 1
			}
			block.Bottom += s.Rows
			m.By = append(m.By, s)
		}
		over := placements.Rect{Top: rapid.IntRange(2, 12).Draw(t, "from"), Left: rapid.IntRange(0, 5).Draw(t, "left")}
		over.Bottom = over.Top + rapid.IntRange(0, 6).Draw(t, "rows")
		over.Right = over.Left + rapid.IntRange(0, 1).Draw(t, "columns")
		text := operand.Draw(t, "one") + "+" + operand.Draw(t, "another")
		sheet := rapid.SampledFrom([]string{"Data", "Other"}).Draw(t, "sheet")
		var after [2]map[string]string
		for i, shared := range []bool{false, true} {
			var out bytes.Buffer
			if _, err := Sheet(strings.NewReader(filledSheet(t, text, over, shared)), &out, sheet, m); err != nil {
				t.Fatal(err)
			}
			after[i] = formulasOf(t, out.String())
		}
		if diff := cmp.Diff(after[0], after[1]); diff != "" {
			t.Fatalf("%s over %s of %s after %+v (-written out +shared):\n%s", text, rangeName(over), sheet, m.By, diff)
		}
	})
}
