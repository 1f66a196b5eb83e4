package refresh

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"mooring/placements"

	"mooring/storage/record"
	"mooring/storage/storagetest"
)

const people = "SELECT * FROM people ORDER BY id"

// newLibreOfficeRig places a report of every kind of cell at Sheet1!B2 of book.xlsx, as the files in testdata/libreoffice have it.
func newLibreOfficeRig(t *testing.T) *rig {
	r := newRig(t, storagetest.Open(t, "embedded"))
	r.exec(`CREATE TABLE people (id INTEGER, name TEXT, amount INTEGER, third REAL, day DATE, at TIMESTAMP, paid BOOLEAN);
		INSERT INTO people VALUES
			(1, 'Ada', 100, 1/3.0, '2026-03-01', '2026-03-01 01:30:00', 1), (2, 'Ben', 200, 2/3.0, '2026-03-02', '2026-03-02 02:30:00', 0),
			(3, 'Cleo', 300, 3/3.0, '2026-03-03', '2026-03-03 03:30:00', 1), (4, 'Dan', 400, 4/3.0, '2026-03-04', '2026-03-04 04:30:00', 0),
			(5, 'Eva', 500, 5/3.0, '2026-03-05', '2026-03-05 05:30:00', 1), (6, 'Finn', 600, 6/3.0, '2026-03-06', '2026-03-06 06:30:00', 0)`)
	must(t, os.Remove(filepath.Join(r.dir, "book.xlsx")))
	r.edit("book.xlsx", func(*excelize.File) {})
	report, err := r.engine.records.Reports().Create(t.Context(), r.d, record.ReportInput{
		Name: placements.Sent("People"), SQLQuery: placements.Sent(people), Source: placements.Sent("SHEETS_B"),
	}, record.Actor{ID: 7})
	must(t, err)
	r.report = report.ID
	r.connectLibreOffice("Sheet1!B2")
	t.Cleanup(r.serve())
	r.succeeded(r.ask(Request{}), 7)
	return r
}

// connectLibreOffice places the report under the id that the files' markers name.
func (r *rig) connectLibreOffice(location string) {
	r.Helper()
	_, err := r.engine.records.Placements().Connect(r.Context(), r.d, r.report, placements.Connection{
		PlacementID: "libreoffice", ExternalWorkbookID: "book.xlsx", ResultLocation: location, AddressOnly: true,
	}, record.Actor{ID: 7, Actions: []string{record.ActionReportRead}}, nil, false)
	must(r.T, err)
}

// TestWriteForLibreOffice leaves what Mooring writes where MOORING_LIBREOFFICE_CASES says.
func TestWriteForLibreOffice(t *testing.T) {
	path := os.Getenv("MOORING_LIBREOFFICE_CASES")
	if path == "" {
		t.Skip("run scripts/libreoffice-cases")
	}
	r := newLibreOfficeRig(t)
	must(t, os.WriteFile(path, []byte(r.bytes("book.xlsx")), 0o644))
}

// libreOfficeStep is what a person did in LibreOffice, and what the refresh after it left.
type libreOfficeStep struct {
	file     string // that LibreOffice saved, without .xlsx; empty: nothing was done
	source   string // what changes there
	connect  string // where the report is connected to anew
	onEdit   placements.OnEdit
	conflict string // the sentence, or a part of it; empty for a run that succeeds

	sheet           []string // the rows from row 2 on, as libreOfficeRow names them; nil: the whole table
	formulas        string   // those in the sheet, as cell=formula
	edits           string   // as cell column=yours<source
	moved, returned int      // rows
	overwritten     string   // rows of the sheet
}

// wholeTable is the source's table, as libreOfficeRow names its rows.
var wholeTable = []string{"head", "1", "2", "3", "4", "5", "6"}

// replaced is the whole table with another row in the place of one, given as index:row.
func replaced(row string) []string {
	i, text := indexed(row)
	rows := slices.Clone(wholeTable)
	rows[i] = text
	return rows
}

// added is the whole table with rows inserted, each given as index:row.
func added(list ...string) []string {
	rows := slices.Clone(wholeTable)
	for _, row := range list {
		i, text := indexed(row)
		rows = slices.Insert(rows, i, text)
	}
	return rows
}

func indexed(row string) (index int, text string) {
	at, text, _ := strings.Cut(row, ":")
	return int(at[0] - '0'), text
}

// formulaRows is the whole table with a formula for each amount.
var formulaRows = []string{
	"head", "1|Ada|33.3333333|0.333333333|2026-03-01|2026-03-01 01:30:00|TRUE",
	"2|Ben|66.6666667|0.666666667|2026-03-02|2026-03-02 02:30:00|FALSE",
	"3|Cleo|100|1|2026-03-03|2026-03-03 03:30:00|TRUE", "4|Dan|133.333333|1.33333333|2026-03-04|2026-03-04 04:30:00|FALSE",
	"5|Eva|166.666667|1.66666667|2026-03-05|2026-03-05 05:30:00|TRUE", "6|Finn|200|2|2026-03-06|2026-03-06 06:30:00|FALSE",
}

// formulaEdits are the edits of formulaRows, of which Ada stands in a row of the sheet.
func formulaEdits(row int) string {
	var edits []string
	for i, shows := range []string{"33.3333333333333", "66.6666666666667", "100", "133.333333333333", "166.666666666667", "200"} {
		edits = append(edits, fmt.Sprintf("D%d amount=map[formula:=E%[1]d*100 value:%s]<%d", row+i, shows, 100*(i+1)))
	}
	return strings.Join(edits, ", ")
}

func TestWhatPeopleDoInLibreOffice(t *testing.T) {
	for _, tt := range []struct {
		name  string
		steps []libreOfficeStep
	}{
		{"a file that was only saved is as it was written", []libreOfficeStep{{file: "saved"}}},
		{"sorted rows come back into the source's order", []libreOfficeStep{
			{file: "sorted", moved: 5},
			{file: "sorted", onEdit: placements.Stop, moved: 5},
		}},
		{"a header sorted into the rows comes back", []libreOfficeStep{{file: "sorted_with_header", onEdit: placements.Stop, moved: 1}}},
		{"swapped rows come back", []libreOfficeStep{{file: "swapped", moved: 2}}},
		{"a row cut and inserted below the last one comes back", []libreOfficeStep{{file: "cut_below", onEdit: placements.Stop, moved: 1}}},
		{"a row dragged out comes back, and stays where it was dragged to", []libreOfficeStep{
			{file: "dragged_out", sheet: added("7:3"), returned: 1},
		}},
		{"an inserted row stays behind the row above it", []libreOfficeStep{
			{file: "row_inserted", sheet: added("3:mine|5"), edits: "C5 name=mine<<nil>, D5 amount=5<<nil>"},
			{
				source: "DELETE FROM people WHERE id = 2", sheet: []string{"head", "1", "mine|5", "3", "4", "5", "6"},
				edits: "C4 name=mine<<nil>, D4 amount=5<<nil>",
			},
			{
				onEdit: placements.Stop, conflict: `row 4 was inserted by hand: refresh with onEdit "keep" or "overwrite", or undo the edit`,
				sheet: []string{"head", "1", "mine|5", "3", "4", "5", "6"}, edits: "C4 name=mine<<nil>, D4 amount=5<<nil>",
			},
			{onEdit: placements.Overwrite, sheet: []string{"head", "1", "3", "4", "5", "6"}, overwritten: "[4]"},
		}},
		{"deleted rows come back, and are named when the run is to stop", []libreOfficeStep{
			{
				file: "rows_deleted", onEdit: placements.Stop, conflict: "2 rows of the block were deleted by hand",
				sheet: []string{"head", "1", "2", "5", "6"},
			},
			{returned: 2},
		}},
		{"a cleared block is filled again under every policy", []libreOfficeStep{
			{file: "cleared", returned: 6},
			{file: "cleared", onEdit: placements.Stop, returned: 6},
			{file: "cleared_with_header", onEdit: placements.Overwrite, returned: 6},
		}},
		{"cells emptied at the ends of rows stay empty", []libreOfficeStep{{
			file: "row_emptied", sheet: []string{"head", "1", "2|Ben|200|0.666666667|2026-03-02|2026-03-02 02:30:00", "3", "", "5", "6"},
			edits: "H4 paid=<nil><false, B6 id=<nil><4, C6 name=<nil><Dan, D6 amount=<nil><400, E6 third=<nil><1.3333333333333333, " +
				"F6 day=<nil><46085, G6 at=<nil><46085.1875, H6 paid=<nil><false",
		}}},
		{"what was typed into a sorted block is found again", []libreOfficeStep{
			{
				file: "everything", sheet: []string{"head", "1", "2|Ben|4444|0.666666667|2026-03-02|2026-03-02 02:30:00|FALSE", "3", "4", "5", "6", "mine|5"},
				edits: "D4 amount=4444<200, C9 name=mine<<nil>, D9 amount=5<<nil>", moved: 5,
			},
			{
				source: "UPDATE people SET name = upper(name) WHERE id = 2",
				sheet:  []string{"head", "1", "2|BEN|4444|0.666666667|2026-03-02|2026-03-02 02:30:00|FALSE", "3", "4", "5", "6", "mine|5"},
				edits:  "D4 amount=4444<200, C9 name=mine<<nil>, D9 amount=5<<nil>",
			},
		}},
		{"edited cells stay, and are no edits once they are typed back", []libreOfficeStep{
			{
				file: "edited", sheet: []string{
					"head", "1|Ada|100|0.333333333|2026-03-01|2026-03-01 01:30:00|FALSE", "2",
					"3|Cleo|7|1|2026-03-03|2026-03-03 03:30:00|TRUE",
					"4|Dan the second|400|1.33333333|2026-03-04|2026-03-04 04:30:00|FALSE",
					"5|Eva|500|0.125|2026-03-05|2026-03-05 05:30:00|TRUE",
					"6|Finn|600|2|2026-03-06||FALSE",
				},
				formulas: "H3=1=2",
				edits: "H3 paid=map[formula:=1=2 value:false]<true, D5 amount=7<300, C6 name=Dan the second<Dan, E7 third=0.125<1.6666666666666667, " +
					"G8 at=<nil><46087.270833333336",
			},
			{file: "typed_back"},
		}},
		{"a renamed heading is an edit", []libreOfficeStep{
			{file: "heading", sheet: replaced("0:id|name|Betrag|third|day|at|paid"), edits: "D2 amount=Betrag<amount"},
		}},
		{"an inserted column is a conflict until it is gone", []libreOfficeStep{
			{
				file: "column_inserted", sheet: []string{
					"id|name|note|amount|third|day|at|paid", "1|Ada||100|0.333333333|2026-03-01|2026-03-01 01:30:00|TRUE",
					"2|Ben||200|0.666666667|2026-03-02|2026-03-02 02:30:00|FALSE", "3|Cleo|mine|300|1|2026-03-03|2026-03-03 03:30:00|TRUE",
					"4|Dan||400|1.33333333|2026-03-04|2026-03-04 04:30:00|FALSE",
					"5|Eva||500|1.66666667|2026-03-05|2026-03-05 05:30:00|TRUE",
					"6|Finn||600|2|2026-03-06|2026-03-06 06:30:00|FALSE",
				},
				conflict: `column D ("note") was inserted inside the block at Sheet1!B2: undo that, or refresh with onEdit "overwrite" to have the block written anew`,
			},
			{file: "column_inserted_undone"},
			{file: "column_inserted", onEdit: placements.Overwrite, overwritten: "[2 5]"},
		}},
		{"a moved column is a conflict until the block is overwritten", []libreOfficeStep{
			{
				file: "column_moved", sheet: []string{
					"id|amount|third|name|day|at|paid", "1|100|0.333333333|Ada|2026-03-01|2026-03-01 01:30:00|TRUE",
					"2|200|0.666666667|Ben|2026-03-02|2026-03-02 02:30:00|FALSE", "3|300|1|Cleo|2026-03-03|2026-03-03 03:30:00|TRUE",
					"4|400|1.33333333|Dan|2026-03-04|2026-03-04 04:30:00|FALSE", "5|500|1.66666667|Eva|2026-03-05|2026-03-05 05:30:00|TRUE",
					"6|600|2|Finn|2026-03-06|2026-03-06 06:30:00|FALSE",
				},
				conflict: `column C ("amount") was moved inside the block`,
			},
			{onEdit: placements.Overwrite},
		}},
		{"a removed column is a conflict until the block is overwritten, and the days stay days", []libreOfficeStep{
			{
				file: "column_removed", onEdit: placements.Stop, sheet: []string{
					"id|name|third|day|at|paid", "1|Ada|0.333333333|2026-03-01|2026-03-01 01:30:00|TRUE",
					"2|Ben|0.666666667|2026-03-02|2026-03-02 02:30:00|FALSE", "3|Cleo|1|2026-03-03|2026-03-03 03:30:00|TRUE",
					"4|Dan|1.33333333|2026-03-04|2026-03-04 04:30:00|FALSE", "5|Eva|1.66666667|2026-03-05|2026-03-05 05:30:00|TRUE",
					"6|Finn|2|2026-03-06|2026-03-06 06:30:00|FALSE",
				},
				conflict: `column "amount" was removed inside the block`,
			},
			{onEdit: placements.Overwrite},
		}},
		{"a column emptied with its heading is a conflict until the block is overwritten", []libreOfficeStep{
			{
				file: "column_emptied", sheet: []string{
					"id|name||third|day|at|paid", "1|Ada||0.333333333|2026-03-01|2026-03-01 01:30:00|TRUE",
					"2|Ben||0.666666667|2026-03-02|2026-03-02 02:30:00|FALSE", "3|Cleo||1|2026-03-03|2026-03-03 03:30:00|TRUE",
					"4|Dan||1.33333333|2026-03-04|2026-03-04 04:30:00|FALSE", "5|Eva||1.66666667|2026-03-05|2026-03-05 05:30:00|TRUE",
					"6|Finn||2|2026-03-06|2026-03-06 06:30:00|FALSE",
				},
				conflict: `D2 (amount) and most rows below were edited together inside the block`,
			},
			{onEdit: placements.Overwrite, overwritten: "[2 3 4 5 6 7 8]"},
		}},
		{"formulas go along with their rows", []libreOfficeStep{
			{
				file: "formulas", sheet: formulaRows, formulas: "D3=E3*100 D4=E4*100 D5=E5*100 D6=E6*100 D7=E7*100 D8=E8*100",
				edits: formulaEdits(3),
			},
			{
				file: "formulas_sorted", sheet: formulaRows, formulas: "D3=E3*100 D4=E4*100 D5=E5*100 D6=E6*100 D7=E7*100 D8=E8*100",
				edits: formulaEdits(3), moved: 5,
			},
			{
				source: "INSERT INTO people SELECT 0, name, amount, third, day, at, paid FROM people WHERE id = 1",
				sheet:  slices.Insert(slices.Clone(formulaRows), 1, "0|Ada|100|0.333333333|2026-03-01|2026-03-01 01:30:00|TRUE"),
				edits:  formulaEdits(4), formulas: "D4=E4*100 D5=E5*100 D6=E6*100 D7=E7*100 D8=E8*100 D9=E9*100",
			},
		}},
		{"an array formula cannot move", []libreOfficeStep{
			{
				file: "array_formula", sheet: replaced("3:3|Cleo|4|1|2026-03-03|2026-03-03 03:30:00|TRUE"),
				formulas: "D5=SUM(E3:E5*2)", edits: "D5 amount=map[formula:=SUM(E3:E5*2) value:4]<300",
			},
			{
				source: "DELETE FROM people WHERE id = 1", sheet: replaced("3:3|Cleo|4|1|2026-03-03|2026-03-03 03:30:00|TRUE"),
				formulas: "D5=SUM(E3:E5*2)", edits: "D5 amount=map[formula:=SUM(E3:E5*2) value:4]<300",
				conflict: "the formula that fills Sheet1!D5 cannot move with its row",
			},
			{onEdit: placements.Overwrite, sheet: []string{"head", "2", "3", "4", "5", "6"}, overwritten: "[5]"},
		}},
		{"a total below is in the way until a row is inserted above it", []libreOfficeStep{
			{file: "below", sheet: added("7:total||2100"), formulas: "D9=SUM(D3:D8)"},
			{
				source: "INSERT INTO people SELECT 7, name, amount, third, day, at, paid FROM people WHERE id = 1",
				sheet:  added("7:total||2100"), formulas: "D9=SUM(D3:D8)",
				conflict: "Sheet1!B9:D9 holds something that is not its own: refresh with shiftRows, insert a row above row 9, clear those cells or move the report",
			},
			{
				file: "below_with_room", sheet: added("7:7|Ada|100|0.333333333|2026-03-01|2026-03-01 01:30:00|TRUE", "8:total||2100"),
				formulas: "D10=SUM(D3:D8)",
			},
		}},
		{"the marker on a copied sheet is not followed", []libreOfficeStep{{file: "sheet_copied"}}},
		{"a copy that takes the sheet's place has the block", []libreOfficeStep{
			{
				file: "copy_kept", source: "UPDATE people SET amount = 1 WHERE id = 3",
				sheet: replaced("3:3|Cleo|1|1|2026-03-03|2026-03-03 03:30:00|TRUE"),
			},
		}},
		{"a block without its marker is found where it was", []libreOfficeStep{
			{
				file: "unmarked", source: "UPDATE people SET amount = 1 WHERE id = 3",
				sheet: replaced("3:3|Cleo|1|1|2026-03-03|2026-03-03 03:30:00|TRUE"),
			},
		}},
		{"a row inserted in a block without its marker pushes no row out", []libreOfficeStep{
			{file: "unmarked_inserted", sheet: added("3:mine"), edits: "C5 name=mine<<nil>"},
		}},
		{"a block without its marker that has moved is found where the report is connected to", []libreOfficeStep{
			{
				file: "unmarked_below", onEdit: placements.Overwrite, sheet: added("0:", "0:", "0:"),
				conflict: "what stands at Sheet1!B2 is not the block: clear Sheet1!B2:H8 to have the block written there again, " +
					"or connect the report to Sheet1!B5, where its headings stand",
			},
			{connect: "Sheet1!B5", sheet: added("0:", "0:", "0:")},
		}},
		{
			"a block without its marker that has moved is written anew where its place is cleared",
			[]libreOfficeStep{{file: "unmarked_cleared", returned: 6}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newLibreOfficeRig(t)
			for _, s := range tt.steps {
				r.libreOffice(s)
			}
		})
	}
}

// libreOffice does a step and checks what came of it.
func (r *rig) libreOffice(s libreOfficeStep) {
	r.Helper()
	if s.file != "" {
		b, err := os.ReadFile(filepath.Join("testdata", "libreoffice", s.file+".xlsx"))
		must(r.T, err)
		must(r.T, os.WriteFile(filepath.Join(r.dir, "book.xlsx"), b, 0o644))
	}
	if s.source != "" {
		r.exec(s.source)
	}
	if s.connect != "" {
		r.connectLibreOffice(s.connect)
	}
	run := r.ask(Request{Options: onEdit(s.onEdit)})
	status, want := r.status(), placements.UpToDate
	if s.conflict != "" {
		want = placements.Conflicted
		r.failed(run, placements.Conflict, s.conflict)
	} else if run.State != placements.RunSucceeded {
		r.Fatalf("%s: the run is %s: %s", s.file, run.State, run.Error)
	}
	if status != want {
		r.Errorf("%s: the placement is %s, want %s", s.file, status, want)
	}
	got := r.libreOfficeResult(run)
	if s.sheet == nil {
		s.sheet = wholeTable
	}
	s.file, s.source, s.connect, s.onEdit, s.conflict = "", "", "", "", ""
	if diff := cmp.Diff(s, got, cmp.AllowUnexported(libreOfficeStep{})); diff != "" {
		r.Errorf("after the refresh (-want +got):\n%s", diff)
	}
}

// libreOfficeResult is what a step left.
func (r *rig) libreOfficeResult(run *record.Run) (s libreOfficeStep) {
	r.Helper()
	f, err := excelize.OpenFile(filepath.Join(r.dir, "book.xlsx"))
	must(r.T, err)
	defer f.Close()
	sheet := r.placement().SheetName
	rows, err := f.GetRows(sheet)
	must(r.T, err)
	var formulas []string
	for i, row := range rows {
		for k := range row {
			cell, err := excelize.CoordinatesToCellName(k+1, i+1)
			must(r.T, err)
			if formula, err := f.GetCellFormula(sheet, cell); err == nil && formula != "" && formula != "TRUE()" && formula != "FALSE()" {
				formulas = append(formulas, cell+"="+formula)
			}
		}
		if i > 0 {
			s.sheet = append(s.sheet, r.libreOfficeRow(row))
		}
	}
	s.formulas = strings.Join(formulas, " ")
	page, err := r.engine.records.Placements().Edits(r.Context(), r.d, r.report, r.placement().ID, "", 100)
	must(r.T, err)
	var edits []string
	for _, e := range page.Items {
		edits = append(edits, fmt.Sprintf("%s %s=%v<%v", e.At(r.placement().Placement).Anchor, e.Name, e.Yours, e.Source))
	}
	s.edits = strings.Join(edits, ", ")
	if len(run.Placements) == 1 {
		o := run.Placements[0]
		s.moved, s.returned = o.MovedRows, o.ReturnedRows
		var rows []int
		for _, row := range o.Overwritten {
			rows = append(rows, row.Row)
		}
		if rows != nil {
			s.overwritten = fmt.Sprint(rows)
		}
	}
	return s
}

// libreOfficeRow names a row of the sheet if it is the header or one of the source's. Numbers are cut to 9 digits: how many show depends
// on the style.
func (r *rig) libreOfficeRow(cells []string) string {
	for i, cell := range cells {
		if v, err := strconv.ParseFloat(cell, 64); err == nil {
			cells[i] = strconv.FormatFloat(v, 'g', 9, 64)
		}
	}
	text := strings.Trim(strings.Join(cells, "|"), "|")
	if i := slices.Index(peopleRows, text); i >= 0 {
		return wholeTable[i]
	}
	return text
}

// peopleRows are the rows of the source as a sheet shows them.
var peopleRows = []string{
	"id|name|amount|third|day|at|paid",
	"1|Ada|100|0.333333333|2026-03-01|2026-03-01 01:30:00|TRUE",
	"2|Ben|200|0.666666667|2026-03-02|2026-03-02 02:30:00|FALSE",
	"3|Cleo|300|1|2026-03-03|2026-03-03 03:30:00|TRUE",
	"4|Dan|400|1.33333333|2026-03-04|2026-03-04 04:30:00|FALSE",
	"5|Eva|500|1.66666667|2026-03-05|2026-03-05 05:30:00|TRUE",
	"6|Finn|600|2|2026-03-06|2026-03-06 06:30:00|FALSE",
}
