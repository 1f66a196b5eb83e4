package cells

import (
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host/hosttest/workbook"
)

// titled is a parameter as people read of it.
func titled(title string, p placements.Parameter) placements.Parameter {
	p.Title = title
	return p
}

// TestWhatCellsMayNotSay: each is a conflict that names the cell and not what it holds, and nothing is written.
func TestWhatCellsMayNotSay(t *testing.T) {
	t.Parallel()
	region := titled("Region", fromCell("p", placements.ParameterText))
	region.Allowed = []placements.Scalar{placements.TextScalar("North"), placements.TextScalar("South")}
	text, number := titled("Region", fromCell("p", placements.ParameterText)), fromCell("p", placements.ParameterNumber)
	day, yes := fromCell("p", placements.ParameterDate), fromCell("p", placements.ParameterBoolean)
	list := text
	list.List = true
	set := func(c checksum.Cell) func(*rig) { return func(r *rig) { r.Editor.Set(r.T, r.Other, "F10", c) } }
	formatted := func(n float64, format string) func(*rig) {
		return func(r *rig) {
			set(checksum.Num(n))(r)
			r.Editor.SetNumberFormat(r.T, r.Other, "F10", format)
		}
	}
	north, one := checksum.Str("North"), checksum.Num(1)
	for _, tc := range []struct {
		fact string
		of   placements.Parameter
		was  checksum.Cell
		do   func(*rig)
		want string // behind Other!F10, or the whole sentence
	}{
		{"a value that is not allowed", region, north, set(checksum.Str("Secretville")), " holds a value that is not allowed: North, South"},
		{"of another case", region, north, set(checksum.Str("north")), " holds a value that is not allowed: North, South"},
		{"an empty cell", region, north, set(checksum.Cell{}), "Region has no value"},
		{"a formula that shows nothing", region, north, func(r *rig) {
			r.Editor.SetFormula(r.T, r.Other, "F10", `LEFT(A1,0)`, checksum.Str(""))
		}, " holds a value that is not allowed: North, South"},
		{"an error", text, north, func(r *rig) {
			r.Editor.SetFormula(r.T, r.Other, "F10", "1/0", checksum.Err("#DIV/0!"))
		}, " holds an error"},
		{"a date for a text", text, north, formatted(46023, "yyyy-mm-dd"), " is formatted as a date, where a text is wanted: " +
			"write the date as a text, or let the parameter be a date"},
		{"a long text", text, north, set(checksum.Str(strings.Repeat("Secretville", 100))), " holds a text of more than 1000 characters, or with a NUL character"},
		{"a text for a number", number, one, set(checksum.Str("4711")), " holds no number; a text that looks like one does not count"},
		{"a truth value for a number", number, one, set(checksum.Bool(true)), " holds no number; a text that looks like one does not count"},
		{"a time of day for a date", day, checksum.Num(46023), formatted(46023.5, "yyyy-mm-dd hh:mm"), " has a time of day, where a date is wanted"},
		{"a date that spreadsheets disagree about", day, checksum.Num(46023), set(checksum.Num(60)), " holds no date between 1900-03-01 and 9999-12-31"},
		{"a text of another form for a date", day, checksum.Num(46023), set(checksum.Str("31.01.2026")), " holds no date: enter one, or a text such as 2026-01-31"},
		{"a number for a truth value", yes, checksum.Bool(true), set(one), " holds neither TRUE nor FALSE"},
	} {
		t.Run(tc.fact, func(t *testing.T) {
			t.Parallel()
			eachHost(t, func(r *rig) {
				r.Editor.Set(r.T, r.Other, "F10", tc.was)
				r.asksSQL("SELECT @p AS p", tc.of)
				r.place(r.Document, "C4", inCell("p", "F10"))
				r.succeeds()
				tc.do(r)
				want := tc.want
				if want[0] == ' ' {
					want = "Other!F10" + want
				}
				r.source.asked()
				r.conflicts(tc.fact, want)
				if n := r.source.asked(); n != 0 {
					r.Errorf("%d queries were made", n)
				}
				r.Editor.SetNumberFormat(r.T, r.Other, "F10", "General")
				r.Editor.Set(r.T, r.Other, "F10", tc.was)
				r.succeeds()
			})
		})
	}
}

// TestCellsWithoutAValue take the default, where the report has one.
func TestCellsWithoutAValue(t *testing.T) {
	t.Parallel()
	eachHost(t, func(r *rig) {
		p := fromCell("p", placements.ParameterText)
		p.Default = new(placements.OneValue(placements.TextScalar("South")))
		r.asksSQL("SELECT @p AS p", p)
		r.place(r.Document, "C4", inCell("p", "F10"))
		run := r.succeeds()
		r.holds("an empty cell", "C5", checksum.Str("South"))
		if said := run.Placements[0].Parameters["p"]; said.Cell != "Other!F10" || said.Value == nil || !said.Value.Equal(*p.Default) {
			r.Errorf("the run says %+v", said)
		}
		r.types("F10", "North")
		r.succeeds()
		r.holds("no default where the cell says something", "C5", checksum.Str("North"))
		if !r.ForgetsNames {
			r.Editor.DeleteRows(r.T, r.Other, 10, 1)
			r.conflicts("a deleted cell, whatever the default", deletedCell)
		}
	})
}

// TestCoveredCells: the first of merged cells counts, the others are no value.
func TestCoveredCells(t *testing.T) {
	t.Parallel()
	eachHost(t, func(r *rig) {
		r.types("F9", "North")
		r.types("F10", "South")
		r.asksSQL("SELECT @p AS p", titled("Region", fromCell("p", placements.ParameterText)))
		r.place(r.Document, "C4", inCell("p", "F10"))
		r.succeeds()
		r.Editor.Set(r.T, r.Other, "F10", checksum.Cell{}) // as programs do that merge
		r.Editor.Merge(r.T, r.Other, "F9:F10")
		want := "Other!F10 is covered by a merged cell: choose the first cell of that"
		if !r.SeesMerges {
			want = "Region has no value"
		}
		r.conflicts("a covered cell", want)
		r.place(r.Document, "C4", inCell("p", "F9"))
		r.succeeds()
		r.holds("the first of merged cells", "C5", checksum.Str("North"))
	})
}

// TestAFormulaThatWasNotComputed is no value. Only files can have one.
func TestAFormulaThatWasNotComputed(t *testing.T) {
	t.Parallel()
	r := newRig(t, files(t), texts(t))
	r.types("F10", "North")
	r.asksSQL("SELECT @p AS p", fromCell("p", placements.ParameterText))
	r.place(r.Document, "C4", inCell("p", "F10"))
	r.succeeds()
	r.Editor.(workbook.Editor).Edit(t, func(f *excelize.File) error {
		if err := f.SetCellValue("Other", "F10", nil); err != nil {
			return err
		}
		return f.SetCellFormula("Other", "F10", "A1&B1")
	})
	r.conflicts("a formula without a value", "Other!F10 holds a formula that was not computed yet: open the document once and save it")
	r.Editor.SetFormula(t, r.Other, "F10", "A1&B1", checksum.Str("South"))
	r.succeeds()
	r.holds("a formula with one", "C5", checksum.Str("South"))
}

// TestBooksThatCountFrom1904: their dates are those that people see.
func TestBooksThatCountFrom1904(t *testing.T) {
	t.Parallel()
	eachHost(t, func(r *rig) {
		if r.Count1904 == nil {
			r.Skip("no document of the host does")
		}
		r.Count1904(r.T)
		r.Editor.Set(r.T, r.Other, "F10", checksum.Num(44561))
		r.Editor.SetNumberFormat(r.T, r.Other, "F10", "yyyy-mm-dd")
		r.asksSQL("SELECT @p AS p", fromCell("p", placements.ParameterDate))
		r.place(r.Document, "C4", inCell("p", "F10"))
		r.succeeds()
		r.holds("a date", "C5", checksum.Str("2026-01-01"))
		r.Editor.Set(r.T, r.Other, "F10", checksum.Num(0))
		r.succeeds()
		r.holds("their first day", "C5", checksum.Str("1904-01-01"))
	})
}

// TestABlockThatWouldGrowOverItsCell leaves both, and one that may shift what stands below takes the cell along.
func TestABlockThatWouldGrowOverItsCell(t *testing.T) {
	t.Parallel()
	eachHost(t, func(r *rig) {
		r.Editor.Set(r.T, r.Other, "F10", checksum.Num(2))
		p := titled("Beginning", fromCell("p", placements.ParameterText))
		p.Default = new(placements.OneValue(placements.TextScalar("")))
		r.asksSQL("SELECT @p || t AS t FROM texts ORDER BY n LIMIT @n", p, fromCell("n", placements.ParameterNumber))
		said := inCell("n", "F10")
		said["p"] = placements.ParameterSetting{Cell: "Data!C8"}
		r.place(r.Document, "C4", said)
		r.succeeds()
		r.holds("two rows", "C6", checksum.Str("b"))
		r.Editor.Set(r.T, r.Other, "F10", checksum.Num(4))
		const inside = "Data!C8, from which Beginning takes its value, lies inside the block of the report itself, where refreshes write: choose a cell outside"
		r.conflicts("four rows, over a cell that is empty", inside)
		r.Editor.Set(r.T, r.Sheet, "C8", checksum.Str("-"))
		r.conflicts("four rows, over a cell that holds a value", "the report now needs 5 rows and 1 columns from Data!C4, but Data!C8 holds something that is "+
			"not its own: refresh with shiftRows, insert a row above row 8, clear that cell or move the report")
		r.Editor.Set(r.T, r.Other, "F10", checksum.Num(3))
		r.succeeds()
		r.holds("three rows", "C7", checksum.Str("-c"))

		r.Editor.Set(r.T, r.Other, "F10", checksum.Num(4))
		r.options.ShiftRows = placements.Sent(true)
		r.place(r.Document, "C4", said)
		r.succeeds()
		r.holds("four rows that shift", "C8", checksum.Str("-d"))
		r.Editor.Set(r.T, r.Sheet, "C9", checksum.Str("+"))
		r.succeeds()
		r.holds("the cell that was shifted", "C8", checksum.Str("+d"))
	})
}

// TestACellTheReportNoLongerAdmits: the report is judged anew at each run.
func TestACellTheReportNoLongerAdmits(t *testing.T) {
	t.Parallel()
	eachHost(t, func(r *rig) {
		p := titled("Region", fromCell("p", placements.ParameterText))
		r.types("F10", "Secretville")
		r.asksSQL("SELECT @p AS p", p)
		r.place(r.Document, "C4", inCell("p", "F10"))
		r.succeeds()
		p.Allowed = []placements.Scalar{placements.TextScalar("North")}
		r.declares(p)
		r.conflicts("a value that is allowed no more", "Other!F10 holds a value that is not allowed: North")
		p.Allowed, p.FromCells = nil, false
		r.declares(p)
		r.conflicts("a parameter that comes from cells no more", "the report no longer lets Region come from a cell: say its value")
	})
}
