package record_test

import (
	"testing"

	"mooring/storage/record"
	"mooring/storage/record/recordtest"
)

// Everybody of the table has the level that it says on each asset, and may create what it says.
func TestLevelsAreThoseOfTheTable(t *testing.T) {
	for _, p := range append(recordtest.People(), recordtest.Makers()...) {
		a := p.Actor()
		got := map[recordtest.Asset]record.Level{
			recordtest.Report: a.OnReport(recordtest.Report.Maker(), recordtest.Grants()),
			recordtest.Hidden: a.OnReport(recordtest.Hidden.Maker(), nil),
			recordtest.Board:  a.OnWorkbook(recordtest.Board.Maker()),
		}
		for on, level := range got {
			if want := p.Level(on); level != want {
				t.Errorf("%s on %s: level %d, want %d", p.Name, on, level, want)
			}
		}
		reports, boards := p.MayCreate()
		if a.MayCreateReport() != reports || a.MayCreateWorkbook() != boards {
			t.Errorf("%s creates reports %t, workbooks %t; want %t and %t", p.Name, a.MayCreateReport(), a.MayCreateWorkbook(), reports, boards)
		}
	}
}

// Who may change a schedule, and who may stop a run, follows from the level on its report.
func TestSchedulesAndRunsFollowTheTable(t *testing.T) {
	for _, r := range recordtest.Rights() {
		for _, p := range recordtest.People() {
			a, on := p.Actor(), p.Level(r.On)
			var may bool
			switch r.Takes {
			case recordtest.MakerOrEdits:
				may = a.OnSchedule(recordtest.UserOf(r.Whose), on) >= record.MayEdit
			case recordtest.AskerOrEdits:
				may = a.MayStop(&record.Run{RequestedBy: record.Actor{ID: recordtest.UserOf(r.Whose)}}, on)
			default:
				continue
			}
			p.Deployments = nil // which the record does not know
			if want := r.Answer(&p) == recordtest.Done; may != want {
				t.Errorf("%s: %s of %s, %s: %t, want %t", p.Name, r.Operation, r.On, r.Whose, may, want)
			}
		}
	}
}
