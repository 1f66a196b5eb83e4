package shift

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mooring/placements"
	"mooring/refresh/host/formula"
	"mooring/refresh/host/xlsx/cursor"
	"mooring/refresh/host/xlsx/xml"
)

// naive is a sheet as a map: cells by row and column, as their styles and contents, and rows by their heights and styles. Cells of the third
// column that are not listed have a style.
type naive struct {
	cells         map[placements.Anchor]string
	heights, rows map[int]string
}

const columns = `<cols><col min="3" max="3" style="7"/></cols>`

// complete lists all cells, with the styles of their rows and columns.
func (n *naive) complete() {
	for row := range 50 {
		for column := range 7 {
			at := placements.Anchor{Row: row, Column: column}
			if _, ok := n.cells[at]; !ok {
				n.cells[at] = plain(n.rows[row], column)
			}
		}
	}
}

// plain is the style of a cell that is not listed.
func plain(row string, column int) string {
	switch {
	case row != "":
		return row
	case column == 2:
		return "7"
	}
	return "0"
}

// drawSheet draws a small sheet; some of its cells and rows do without a reference.
func drawSheet(t *rapid.T) (naive, string) {
	n := naive{map[placements.Anchor]string{}, map[int]string{}, map[int]string{}}
	var doc strings.Builder
	doc.WriteString(columns + "<sheetData>")
	last := -1
	for row := range 20 {
		if !rapid.Bool().Draw(t, "row") {
			continue
		}
		r := fmt.Sprintf(` r="%d" spans="1:6"`, row+1)
		if row == last+1 && rapid.Bool().Draw(t, "bare row") {
			r = ""
		}
		if rapid.Bool().Draw(t, "height") {
			n.heights[row] = fmt.Sprint(row + 10)
			r += fmt.Sprintf(` ht="%d"`, row+10)
		}
		if rapid.IntRange(0, 3).Draw(t, "styled row") == 0 {
			n.rows[row] = fmt.Sprint(row%2 + 8)
			r += fmt.Sprintf(` s="%d" customFormat="1"`, row%2+8)
		}
		last = row
		fmt.Fprintf(&doc, "<row%s>", r)
		drawCells(t, &n, &doc, row)
		doc.WriteString("</row>")
	}
	doc.WriteString("</sheetData>")
	return n, doc.String()
}

func drawCells(t *rapid.T, n *naive, doc *strings.Builder, row int) {
	last := -1
	for column := range 6 {
		kind := rapid.IntRange(0, 3).Draw(t, "cell")
		if kind == 0 {
			continue
		}
		at := placements.Anchor{Row: row, Column: column}
		r := fmt.Sprintf(` r="%s"`, at)
		if column == last+1 && rapid.Bool().Draw(t, "bare cell") {
			r = ""
		}
		last = column
		style := rapid.IntRange(0, 3).Draw(t, "style")
		if style > 0 || rapid.Bool().Draw(t, "style 0 written") {
			r += fmt.Sprintf(` s="%d"`, style)
		}
		if kind == 1 {
			fmt.Fprintf(doc, `<c%s/>`, r)
			n.cells[at] = fmt.Sprint(style)
			continue
		}
		fmt.Fprintf(doc, `<c%s><v>%d</v></c>`, r, row*10+column)
		n.cells[at] = fmt.Sprintf("%d %d", style, row*10+column)
	}
}

// shift moves the cells of a map as Shift says.
func (n *naive) shift(s formula.CellShift) {
	moved := map[placements.Anchor]string{}
	for at, cell := range n.cells {
		if at.Column >= s.Left && at.Column <= s.Right && at.Row >= s.Row {
			if at.Row < s.Row-s.Rows {
				continue
			}
			at.Row += s.Rows
		}
		moved[at] = cell
	}
	model := s.Row - 1
	if s.Row == s.Block.Top+1 {
		if model = s.Row + s.Rows; s.Block.Bottom < s.Row {
			model = -1
		}
	}
	for column := s.Left; column <= s.Right && s.Rows > 0; column++ {
		style, _, _ := strings.Cut(moved[placements.Anchor{Row: model, Column: column}], " ")
		if style == "" {
			style = plain("", column)
		}
		for row := s.Row; row < s.Row+s.Rows; row++ {
			moved[placements.Anchor{Row: row, Column: column}] = style
		}
	}
	n.cells = moved
}

func TestSheetMovesCellsAsAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want, doc := drawSheet(t)
		want.complete()
		m := &Moves{Sheets: []string{"S"}}
		for range rapid.IntRange(1, 4).Draw(t, "shifts") {
			s := formula.CellShift{Sheet: "s", Left: rapid.IntRange(0, 5).Draw(t, "left"), Row: rapid.IntRange(0, 22).Draw(t, "at")}
			s.Right = rapid.IntRange(s.Left, 6).Draw(t, "right")
			if s.Rows = rapid.IntRange(-4, 4).Draw(t, "rows"); s.Rows == 0 {
				s.Rows = 1
			}
			top := rapid.IntRange(0, s.Row).Draw(t, "top")
			s.Block = placements.Rect{Top: top, Bottom: s.Row + rapid.IntRange(-1, 3).Draw(t, "bottom"), Left: s.Left, Right: s.Right}
			m.By = append(m.By, s)
			want.shift(s)
		}
		var out bytes.Buffer
		if _, err := Sheet(strings.NewReader("<worksheet>"+doc+"</worksheet>"), &out, "S", m); err != nil {
			t.Fatal(err)
		}
		got := parse(t, out.Bytes())
		got.complete()
		if diff := cmp.Diff(want.lines(), got.lines()); diff != "" {
			t.Fatalf("%s\n%s\n%+v (-want +got):\n%s", doc, out.String(), m.By, diff)
		}
	})
}

// lines lists what a sheet has.
func (n *naive) lines() (list []string) {
	for at, cell := range n.cells {
		if at.Row < 30 {
			list = append(list, fmt.Sprintf("%s %s", at, cell))
		}
	}
	for row, height := range maps.All(n.heights) {
		list = append(list, fmt.Sprintf("row %d %s", row, height))
	}
	slices.Sort(list)
	return list
}

// parse reads a sheet, which must be in order.
func parse(t *rapid.T, doc []byte) naive {
	n := naive{map[placements.Anchor]string{}, map[int]string{}, map[int]string{}}
	s, at := xml.NewScanner(bytes.NewReader(doc)), cursor.New()
	for s.Next() == nil {
		var err error
		switch {
		case s.Opens("row"):
			err = at.ToRow(s)
			if height := s.Attr("ht"); height != "" {
				n.heights[at.Row] = height
			}
			if s.Attr("customFormat") == "1" {
				n.rows[at.Row] = s.Attr("s")
			}
		case s.Opens("c"):
			err = at.ToCell(s)
			style := s.Attr("s")
			if style == "" {
				style = "0"
			}
			n.cells[placements.Anchor(at.Spot)] = style
		case s.Kind == xml.Text:
			n.cells[placements.Anchor(at.Spot)] += " " + string(s.Raw)
		}
		if err != nil {
			t.Fatalf("%s: %v", doc, err)
		}
	}
	return n
}
