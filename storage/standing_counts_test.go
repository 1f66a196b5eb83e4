package storage_test

import (
	"github.com/google/go-cmp/cmp"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/standing"
)

// checkCounts checks that every number is the length of the list that it counts.
func (c *clockwork) checkCounts() {
	c.Helper()
	placed, documents, err := c.s.Standing().Counts(c.Context(), c.d())
	must(c.T, err)
	var listedPlaced, listedDocuments, inDocuments standing.Counts
	for _, one := range []struct {
		status            placements.Status
		placed, documents *int64
	}{
		{"", &listedPlaced.Total, &listedDocuments.Total},
		{placements.UpToDate, &listedPlaced.UpToDate, &listedDocuments.UpToDate},
		{placements.Changed, &listedPlaced.Changed, &listedDocuments.Changed},
		{placements.Unknown, &listedPlaced.Unknown, &listedDocuments.Unknown},
		{placements.Refreshing, &listedPlaced.Refreshing, &listedDocuments.Refreshing},
		{placements.Failed, &listedPlaced.Failed, &listedDocuments.Failed},
		{placements.Conflicted, &listedPlaced.Conflict, &listedDocuments.Conflict},
		{standing.Edited, &listedPlaced.Edited, &listedDocuments.Edited},
		{standing.Waiting, &listedPlaced.Waiting, &listedDocuments.Waiting},
	} {
		for _, p := range c.listed(standing.Filter{Status: one.status}) {
			*one.placed++
			switch status := p.View.Status(p.Definition); {
			case one.status == "" || one.status == standing.Edited:
			case one.status == standing.Waiting && waitsFor(p.Placement, p.View.LastRun) == "":
				c.Errorf("%s is in the list of those that wait, its last run is %+v", p.Member, p.View.LastRun)
			case one.status != standing.Waiting && status != one.status:
				c.Errorf("%s is in the list of %s and shown as %s", p.Member, one.status, status)
			}
		}
		for _, d := range c.listedDocuments(one.status) {
			*one.documents++
			if one.status == "" {
				inDocuments = sum(inDocuments, d.Counts)
			}
		}
	}
	if diff := cmp.Diff([]standing.Counts{listedPlaced, listedDocuments, listedPlaced}, []standing.Counts{placed, documents, inDocuments}); diff != "" {
		c.Errorf("placements, spreadsheets, placements by spreadsheet (-listed +counted):\n%s", diff)
	}
	c.checkReasons(placed.Waiting)
}

// checkReasons checks that each placement that waits, of which there are that many, is in the list of its reason, and its spreadsheet is counted.
func (c *clockwork) checkReasons(waiting int64) {
	c.Helper()
	counted, err := c.s.Standing().WaitingDocuments(c.Context(), c.d())
	must(c.T, err)
	listed, inReasons := map[placements.Reason]int64{}, int64(0)
	for _, reason := range placements.Waits() {
		documents := map[string]bool{}
		for _, p := range c.listed(standing.Filter{Reason: reason}) {
			inReasons++
			documents[p.Placement.WorkbookID] = true
			if got := waitsFor(p.Placement, p.View.LastRun); got != reason {
				c.Errorf("%s is in the list of those that wait, %s, and waits for %q", p.Member, reason, got)
			}
		}
		listed[reason] = int64(len(documents))
	}
	if inReasons != waiting {
		c.Errorf("%d placements are in the lists of reasons, want %d, as in the list of those that wait", inReasons, waiting)
	}
	if diff := cmp.Diff(listed, counted[0]); diff != "" {
		c.Errorf("spreadsheets with a placement that waits, by reason (-listed +counted):\n%s", diff)
	}
}

// listed returns the placements that f wants, of all pages.
func (c *clockwork) listed(f standing.Filter) (list []record.DocumentPlacement) {
	c.Helper()
	for after := ""; ; {
		page, err := c.s.Standing().Placements(c.Context(), c.d(), f, after, 3)
		must(c.T, err)
		list = append(list, page.Items...)
		if after = page.End; !page.HasNextPage {
			return list
		}
	}
}

// listedDocuments returns the spreadsheets with a placement of that status, of all pages.
func (c *clockwork) listedDocuments(status placements.Status) (list []standing.Document) {
	c.Helper()
	for after := ""; ; {
		page, err := c.s.Standing().Documents(c.Context(), c.d(), status, "", after, 3)
		must(c.T, err)
		list = append(list, page.Items...)
		if after = page.End; !page.HasNextPage {
			return list
		}
	}
}

func sum(a, b standing.Counts) standing.Counts {
	return standing.Counts{
		Total: a.Total + b.Total, UpToDate: a.UpToDate + b.UpToDate, Changed: a.Changed + b.Changed, Unknown: a.Unknown + b.Unknown,
		Refreshing: a.Refreshing + b.Refreshing, Failed: a.Failed + b.Failed, Conflict: a.Conflict + b.Conflict, Edited: a.Edited + b.Edited,
		Waiting: a.Waiting + b.Waiting,
	}
}
