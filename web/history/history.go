package history

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"mooring/storage"
	"mooring/storage/record"
	"mooring/web/auth"
	"mooring/web/request"
)

// HideValues takes out of a run of a report the values of parameters, and what cells held, that the caller may not see (record.Actor.SeesCells): they are shown only in
// which rows it replaced something. Who takes a placement over sees nothing of the runs before.
func HideValues(c *auth.Caller, run *record.Run, report *storage.Report) {
	for i, p := range run.Placements {
		placed, _ := report.Find(p.PlacementID)
		of := cmp.Or(p.RunAsUserID, placed.PlacedByUserID) // the latter for runs from before the former was recorded
		if !c.SeesCells(of, c.Level(&report.Definition)) {
			run.Placements[i].Parameters = nil
		}
		if p.OthersValues {
			of = 0
		}
		if c.SeesCells(of, c.Level(&report.Definition)) {
			continue
		}
		for row := range p.Overwritten {
			p.Overwritten[row].Values = nil
		}
	}
}

// HideAll is HideValues for runs of several reports; of one that was deleted who may manage all reports sees values.
func HideAll(ctx context.Context, store *storage.Store, c *request.Call, runs []*record.Run) error {
	reports := map[int64]*storage.Report{}
	for _, run := range runs {
		if !slices.ContainsFunc(run.Placements, func(p record.RunPlacement) bool { return p.Overwritten != nil || p.Parameters != nil }) {
			continue
		}
		report := reports[run.ReportID]
		if report == nil {
			var err error
			report, err = store.Reports().Get(ctx, c.At, run.ReportID)
			if errors.Is(err, storage.ErrNotFound) {
				report, err = &storage.Report{}, nil
			}
			if err != nil {
				return err
			}
			reports[run.ReportID] = report
		}
		HideValues(c.Caller, run, report)
	}
	return nil
}

// Page returns a page of a history, the latest fire time first. The cursor is the place of the last run shown, so that new runs shift no page.
func Page(c *request.Call, runs []*record.Run) (any, error) {
	first, err := c.First()
	if err != nil {
		return nil, err
	}
	after, err := c.After(isPlace)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(runs, func(a, b *record.Run) int { return strings.Compare(placeOf(b), placeOf(a)) })
	runs = slices.DeleteFunc(runs, func(run *record.Run) bool { return after != "" && placeOf(run) >= after })
	page, end := runs[:min(first, len(runs))], ""
	if len(page) > 0 {
		end = placeOf(page[len(page)-1])
	}
	return request.PageOf(page, len(page) < len(runs), end), nil
}

// placeOf is where a run stands in a history: fire times are texts of one length.
func placeOf(run *record.Run) string { return run.FireTime + " " + run.ID }

// isPlace reports whether a text can be a place of a run.
func isPlace(text string) bool {
	at, _, ok := strings.Cut(text, " ")
	_, err := time.Parse(time.RFC3339, at)
	return ok && err == nil
}
