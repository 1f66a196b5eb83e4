package reports

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/web/access"
	"mooring/web/request"
)

// remove removes a report and its placements from every index; it needs manage access. One that dashboards show or schedules refresh
// stays, unless force=true is sent, which deletes the schedules too (decisions.md §4).
func (a *API) remove(ctx context.Context, c *request.Call) (any, error) {
	id, err := c.PathID("reportId", "report")
	if err != nil {
		return nil, err
	}
	force, err := c.Flag("force")
	if err != nil {
		return nil, err
	}
	allow := func(r *storage.Report) error {
		return mayChange(c, r, record.MayManage, placements.Optional[int64]{})
	}
	uses, err := a.deletable(ctx, c, id, allow)
	if err != nil {
		return nil, err
	}
	if len(uses.Workbooks)+len(uses.Schedules) > 0 && !force {
		return nil, a.inUse(ctx, c, id, uses)
	}
	who := c.Caller.Actor
	if err := a.Store.Reports().Delete(ctx, c.At, id, who, allow, uses.Schedules...); err != nil {
		return nil, request.Absent(err, "report")
	}
	schedules := make([]int64, len(uses.Schedules))
	for i, one := range uses.Schedules {
		schedules[i] = one.ID
	}
	return map[string]any{"id": id, "deletedSchedules": schedules}, nil
}

// deletable holds a report that the caller may delete, and returns what uses it.
func (a *API) deletable(ctx context.Context, c *request.Call, id int64, allow func(*storage.Report) error) (uses record.Uses, err error) {
	r, err := a.Store.Reports().Get(ctx, c.At, id)
	if err != nil {
		return uses, request.Absent(err, "report")
	}
	if err := allow(r); err != nil {
		return uses, err
	}
	if err := access.Hold(ctx, a.Store, c, id); err != nil {
		return uses, err
	}
	return a.Store.Reports().Uses(ctx, c.At, id)
}

// inUse is the refusal to delete a report: it names what uses the report and the caller may read, and counts the rest.
func (a *API) inUse(ctx context.Context, c *request.Call, id int64, uses record.Uses) error {
	var by []placements.Detail
	hidden := 0
	name := func(readable bool, format string, args ...any) {
		if !readable {
			hidden++
			return
		}
		by = append(by, placements.Detail{Code: placements.CodeInUse, Message: fmt.Sprintf(format, args...)})
	}
	for _, wb := range uses.Workbooks {
		readable := c.Caller.OnWorkbook(wb.CreatedBy) >= record.MayRead
		name(readable, "The dashboard of workbook %d, %.80q, has a chart of it.", wb.ID, wb.Name)
	}
	for _, one := range uses.Schedules {
		have, err := access.ReferredBy(a.Store, c).OnSchedule(ctx, one)
		if err != nil {
			return err
		}
		name(have >= record.MayRead, "Schedule %d, %.80q, refreshes it.", one.ID, one.Name)
	}
	if hidden > 0 {
		message := fmt.Sprintf("%d more that this token may not read.", hidden)
		by = append(by, placements.Detail{Code: placements.CodeInUse, Message: message})
	}
	f := placements.Errorf(placements.CodeInUse, "Report %d is used by %s: take it out of them first, or send force=true, "+
		"which deletes its schedules and leaves its charts empty.", id, counted(uses))
	f.Details = by[:min(len(by), placements.MaxDetails)]
	return f
}

// counted says how many dashboards and schedules there are.
func counted(uses record.Uses) string {
	var parts []string
	for _, one := range []struct {
		n    int
		noun string
	}{{len(uses.Workbooks), "dashboard"}, {len(uses.Schedules), "schedule"}} {
		switch one.n {
		case 0:
		case 1:
			parts = append(parts, "1 "+one.noun)
		default:
			parts = append(parts, strconv.Itoa(one.n)+" "+one.noun+"s")
		}
	}
	return strings.Join(parts, " and ")
}
