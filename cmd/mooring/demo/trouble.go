package demo

import (
	"context"
	"fmt"

	"mooring/checksum"
	"mooring/cmd/mooring/process"
	"mooring/placements"
	"mooring/web/client"
)

// The workbook in which the demo shows what is not as it should be, and what stands there.
const (
	boardTyped   = "see the remark of the board"
	brokenAnchor = "Summary!K2"

	boardQuery  = "SELECT region AS Region, sum(residents_2020) AS \"2020\" FROM states GROUP BY region ORDER BY region"
	brokenQuery = "SELECT state AS State, residents_2020 / square_miles AS \"Per square mile\" FROM states ORDER BY state"
)

// trouble prepares what a console is for: an edit that a refresh keeps, a report that fails, and a schedule that is paused.
func (d *demo) trouble(ctx context.Context) error {
	regions, err := d.addReport(ctx, "Residents by region, for the board", boardQuery)
	if err != nil {
		return err
	}
	if err := d.keptEdit(ctx, regions); err != nil {
		return err
	}
	if err := d.failingReport(ctx); err != nil {
		return err
	}
	return d.pausedSchedule(ctx, regions)
}

// keptEdit lets a person type over a cell of a report's block before it is refreshed again.
func (d *demo) keptEdit(ctx context.Context, report int64) error {
	placed, err := d.place(ctx, report, boardWorkbook, Sheet+"!"+sampleAnchor)
	if err != nil {
		return err
	}
	if _, err := d.runReport(ctx, report); err != nil {
		return err
	}
	at, err := d.rewriteBlock(ctx, boardWorkbook, placed[0].ID, func(block *checksum.Grid) *checksum.Grid {
		var b checksum.Builder
		for i := range block.Rows() {
			row := block.Cells(i, nil)
			if i == 1 {
				row[1] = checksum.Str(boardTyped)
			}
			b.Append(row...)
		}
		return b.Grid()
	})
	if err != nil {
		return err
	}
	run, err := d.runReport(ctx, report)
	if err != nil {
		return err
	}
	d.say("   %s!%s of %s: %q; %s", Sheet, placements.Anchor{Row: at.Row + 1, Column: at.Column + 1}, boardWorkbook, boardTyped, process.Findings(run))
	return nil
}

// failingReport makes a report whose query names a column that the source has not.
func (d *demo) failingReport(ctx context.Context) error {
	report, err := d.addReport(ctx, "Residents per square mile", brokenQuery)
	if err != nil {
		return err
	}
	if _, err := d.place(ctx, report, boardWorkbook, brokenAnchor); err != nil {
		return err
	}
	run, err := d.runToEnd(ctx, report)
	if err != nil {
		return err
	}
	if run.State != placements.RunFailed {
		return fmt.Errorf("the run of the report without a column ended %s", run.State)
	}
	d.say("   report %d fails: %s", report, run.Error)
	return nil
}

// pausedSchedule makes a schedule of a report and pauses it.
func (d *demo) pausedSchedule(ctx context.Context, report int64) error {
	var weekdays client.ScheduleInput_Cron
	if err := weekdays.FromScheduleInputCron0("0 7 * * 1-5"); err != nil {
		return err
	}
	made, err := d.api.CreateScheduleWithResponse(ctx, sampleDeployment, nil, client.ScheduleInput{
		Name:   client.Set("Regions before the meeting"),
		Cron:   &weekdays,
		Target: &client.ScheduleTarget{ReportID: &report},
		Paused: client.Set(true),
	})
	if err != nil {
		return err
	}
	d.say("   schedule %d, on weekdays at 7:00, is paused", made.JSON200.ID)
	return nil
}
