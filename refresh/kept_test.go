package refresh

import (
	"testing"

	"mooring/placements"
	"mooring/storage/record"
)

// TestKeptFormulasFollowOtherBlocksOfTheSameWrite has two blocks, one below the other, gain and lose rows in one write, in which rows
// with formulas of a person change places. The same formulas beside the blocks say how they are to read.
func TestKeptFormulasFollowOtherBlocksOfTheSameWrite(t *testing.T) {
	t.Parallel() // it waits more than it works
	eachDocument(t, belowRig.keepsFormulas)
}

func (r belowRig) keepsFormulas() {
	const names = "DELETE FROM cities; INSERT INTO cities VALUES "
	r.exec(names + "(1, 'Oslo', 10), (2, 'Bergen', 20), (3, 'Bodo', 30), (4, 'Moss', 40), (5, 'Voss', 50)")
	r.place(r.report, "Data!B2", shifting) // B2:C7
	report, err := r.engine.records.Reports().Create(r.Context(), r.d, record.ReportInput{
		Name: placements.Sent("Lower"), SQLQuery: placements.Sent("SELECT upper(name) AS lower, people FROM cities ORDER BY id"),
		Source: placements.Sent(string(r.host)),
	}, record.Actor{ID: 7})
	must(r.T, err)
	r.place(report.ID, "Data!B11", shifting) // B11:C16
	r.refreshAll(r.report, report.ID)
	r.typed("C19", "=SUM(C13:C15)")
	r.typed("F12", "note")
	const upper, lower = "=C3+C12+C16+$C$19+LEN(F12)", "=C12+C3+C7+Data!$C$19+LEN(F12)"
	for _, cell := range []string{"C4", "C5", "G1"} { // Bergen, Bodo
		r.typed(cell, upper)
	}
	for _, cell := range []string{"C13", "C14", "G2"} {
		r.typed(cell, lower)
	}
	r.refreshAll(r.report, report.ID)

	r.exec(names + "(0, 'Alta', 5), (1, 'Oslo', 10), (2, 'Bodo', 30), (3, 'Bergen', 20), (5, 'Voss', 50), (6, 'Rana', 60), (7, 'Hamar', 70)")
	r.refreshAll(r.report, report.ID)
	const upperReads, lowerReads = "=C4+C15+C18+$C$23+LEN(F12)", "=C15+C4+C7+Data!$C$23+LEN(F12)"
	r.wantColumn(6, upperReads, lowerReads)
	want := []string{
		"", "people", "5", "10", upperReads, upperReads, "50", "60", "70", "", "", "",
		"people", "5", "10", lowerReads, lowerReads, "50", "60", "70", "", "", "=SUM(C16:C17)",
	}
	r.wantColumn(2, want...)
	r.refreshAll(r.report, report.ID)
	r.wantColumn(2, want...)
}
