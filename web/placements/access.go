package placements

import (
	"context"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/web/auth"
	"mooring/web/request"
)

// level returns the caller's level on a report. What they may not read is no such noun.
func (a *API) level(ctx context.Context, c *request.Call, report int64, noun string) (record.Level, error) {
	def, err := a.Store.Reports().Definition(ctx, c.At, report)
	if err != nil {
		return record.MayNothing, request.Absent(err, noun)
	}
	level := c.Caller.Level(def)
	if level < record.MayRead {
		return level, request.NotFound(noun)
	}
	return level, nil
}

// mayReturnEdits is the access check of returnEdits; p is nil when there is no such placement.
func mayReturnEdits(c *auth.Caller, l record.Level, p *placements.Placement) error {
	switch {
	case p == nil || l < record.MayRead:
		return request.NotFound("placement")
	case p.Wholly(c.ID) || l >= record.MayEdit:
		return nil
	}
	return placements.Errorf(placements.CodeForbidden,
		"Another user placed the report there, or had placed it when those cells were typed: giving edits back needs edit access to the report; "+
			"ask for it, or ask that user.")
}

// reportName names a report of an account.
type reportName struct{ deployment, report int64 }

// levels are what a caller may do with the reports that are placed in a spreadsheet.
type levels struct {
	least    record.Level // record.MayNothing where one is out of their reach
	readable map[reportName]bool
	others   bool // a placement is refreshed on another's behalf
}

// mayLink reports whether the caller may have agents write the rows of every report placed there into a file that they have.
func (l *levels) mayLink() bool { return l.least >= record.MayEdit || !l.others }

// add takes a placement into account, with what the caller may do with its report.
func (l *levels) add(d *record.DocumentPlacement, have record.Level, caller int64) {
	l.least = min(l.least, have)
	if have >= record.MayRead {
		l.readable[reportName{d.DeploymentID, d.ReportID}] = true
	}
	l.others = l.others || caller == 0 || d.Placement.Behalf().UID != caller
}

// here is levelsIn the path's spreadsheet.
func (a *API) here(ctx context.Context, c *request.Call) (*levels, error) {
	return a.levelsIn(ctx, c.Caller, document(c))
}

// document is the id of the path's spreadsheet.
func document(c *request.Call) string { return c.Param("externalWorkbookId") }

// levelsIn returns what the caller may do with the reports that are placed in a spreadsheet, of which they may read one at least.
func (a *API) levelsIn(ctx context.Context, caller *auth.Caller, document string) (*levels, error) {
	on := levels{least: record.MayManage, readable: map[reportName]bool{}}
	for after := ""; ; {
		p, err := a.Store.Placements().InDocument(ctx, caller.Tenant, document, after, request.MaxPage)
		if err != nil {
			return nil, err
		}
		for _, d := range p.Items {
			have := record.MayNothing
			if caller.InDeployment(d.DeploymentID) {
				have = caller.Level(d.Definition)
			}
			on.add(&d, have, caller.ID)
		}
		if after = p.EndCursor; !p.HasNextPage {
			break
		}
	}
	if len(on.readable) == 0 {
		return nil, request.NotFound("spreadsheet")
	}
	return &on, nil
}
