package schedules

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/web/access"
	"mooring/web/request"
)

// written answers with a schedule that was written, with what its writer is warned of.
func (v *view) written(ctx context.Context, c *request.Call, found *record.Schedule) (any, error) {
	reports := access.ReferredBy(v.store, c)
	warnings, err := v.warnings(ctx, c, found, reports)
	if err != nil {
		return nil, err
	}
	body, err := v.encode(ctx, c, found, reports, nil)
	if err != nil {
		return nil, err
	}
	c.Tell(found.Effect)
	c.Set("ETag", edition(found).Tag(body)) // which a reader gets, who is not warned
	if len(warnings) > 0 {
		list, err := record.EncodeBytes(warnings)
		if err != nil {
			return nil, err
		}
		body = slices.Concat(body[:len(body)-1], []byte(`,"warnings":`), list, []byte("}"))
	}
	return request.JSON(body), nil
}

// warning is what the writer of a schedule is warned of.
type warning struct {
	Code               string `json:"code"`
	Message            string `json:"message"`
	ExternalWorkbookID string `json:"externalWorkbookId,omitempty"`
}

// The codes of warnings.
const (
	warnNotReached = "document_not_reached"
	warnTwin       = "schedule_twin"
)

// warnings are what the writer of a schedule, whose report is among reports, is warned of.
func (v *view) warnings(ctx context.Context, c *request.Call, written *record.Schedule, reports *access.Referred) ([]warning, error) {
	warnings, err := v.twinWarnings(ctx, c, written, reports)
	if err != nil {
		return nil, err
	}
	report, err := reports.Report(ctx, written.Target.ReportID)
	if err != nil || report == nil || access.MayRead(c.Caller, report) != nil {
		return warnings, err
	}
	aimed, err := v.store.Sites().Aim(ctx, c.At.Tenant, written.Target)
	if err != nil {
		return nil, err
	}
	return append(warnings, v.reachWarnings(c.At.Tenant, aimed, report)...), nil
}

// reachWarnings warns of the spreadsheets of a schedule that no agent reaches, each once, by id.
func (v *view) reachWarnings(tenant string, target record.RunTarget, report *storage.Report) (warnings []warning) {
	lost := map[string]placements.Placement{} // by the id by which the spreadsheet is known
	for _, p := range report.Placements {
		if target.Has(p.Placement) && !v.engine.Reached(tenant, p.Placement) {
			lost[p.Home()] = p.Placement
		}
	}
	for _, home := range slices.Sorted(maps.Keys(lost)) {
		if n := len(lost) - shownDocuments; len(warnings) == shownDocuments {
			return append(warnings, warning{
				Code: warnNotReached, Message: fmt.Sprintf("No agent reaches %d more spreadsheets either, so that ticks leave them out.", n),
			})
		}
		warnings = append(warnings, notReached(lost[home], v.engine.Remedy(tenant, lost[home])))
	}
	return warnings
}

// notReached warns of the spreadsheet of a placement, and says what to do.
func notReached(p placements.Placement, do string) warning {
	return warning{
		Code: warnNotReached, ExternalWorkbookID: p.WorkbookID,
		Message: fmt.Sprintf("No agent reaches the spreadsheet %.80q, so that ticks leave it out: refresh the report by the add-in while it is open, or %s.",
			cmp.Or(p.WorkbookName, p.WorkbookID), do),
	}
}

// shownDocuments is of how many spreadsheets a writer is warned by name.
const shownDocuments = 10

// twinWarnings warns of the twins of a schedule that was written: the schedules, as far as the caller may read them, that refresh the same at
// the same times.
func (v *view) twinWarnings(ctx context.Context, c *request.Call, written *record.Schedule, reports *access.Referred) (warnings []warning, err error) {
	readable := v.visible(ctx, c, reports)
	twin := func(one *record.Schedule) (bool, error) {
		if one.ID == written.ID || !one.SameTimes(&written.ScheduleSpec) {
			return false, nil
		}
		if same, err := v.sameTarget(ctx, c, one, written, reports); err != nil || !same {
			return false, err
		}
		return readable(one)
	}
	q := record.ListQuery{First: shownTwins, Schedules: record.ScheduleFilter{Report: written.Target.ReportID}}
	found, err := v.store.Schedules().List(ctx, c.At, q, twin)
	if err != nil {
		return nil, err
	}
	for _, one := range found.Items {
		message := fmt.Sprintf("Schedule %d, %.80q, refreshes the same at the same times, so that each refresh runs twice: "+
			"delete one of them, or change its cron or target.", one.ID, one.Name)
		warnings = append(warnings, warning{Code: warnTwin, Message: message})
	}
	return warnings, nil
}

// sameTarget reports whether two schedules of a report refresh the same.
func (v *view) sameTarget(ctx context.Context, c *request.Call, one, other *record.Schedule, reports *access.Referred) (bool, error) {
	if one.Target == other.Target {
		return true, nil
	}
	report, err := reports.Report(ctx, other.Target.ReportID)
	if err != nil || report == nil {
		return false, err
	}
	mine, err := v.store.Sites().Aim(ctx, c.At.Tenant, one.Target)
	if err != nil {
		return false, err
	}
	others, err := v.store.Sites().Aim(ctx, c.At.Tenant, other.Target)
	return mine.Same(others, report.Places()), err
}

// shownTwins is how many twins of a schedule its writer is told of.
const shownTwins = 3
