package schedules

import (
	"context"
	"errors"
	"fmt"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/record/portable"
	"mooring/web/access"
	"mooring/web/bind"
	"mooring/web/members"
	"mooring/web/request"
)

// target is what a schedule refreshes, as bodies and answers name it: by the ids of this deployment, and by names that mean the
// same in another one. Where a body has both, the ids count that differ from those of the stored schedule, as they were rewritten; else
// both name the same report, and document and address count.
type target struct {
	record.RunTarget
	PublicID string `json:"publicId,omitempty"`
	Document string `json:"document,omitempty"`
	Address  string `json:"address,omitempty"`
}

// Members implements request.Body.
func (t *target) Members(o *bind.Object) {
	bind.Whole(o, "reportId", &t.ReportID, 1)
	bind.Text(o, "placementId", &t.PlacementID, members.MaxText)
	bind.Text(o, "externalWorkbookId", &t.ExternalWorkbookID, members.MaxText)
	bind.Text(o, "publicId", &t.PublicID, members.MaxText)
	bind.Text(o, "document", &t.Document, members.MaxText)
	bind.Text(o, "address", &t.Address, members.MaxText)
}

// over returns t without the portable names that repeat what was stored beside ids that were rewritten; standing is what was stored as it is
// shown.
func (t target) over(stored, standing record.RunTarget) target {
	if stored.ReportID == 0 {
		return t
	}
	if t.ReportID != 0 && t.ReportID != stored.ReportID {
		t.PublicID = ""
	}
	placed := record.RunTarget{ReportID: stored.ReportID, PlacementID: t.PlacementID, ExternalWorkbookID: t.ExternalWorkbookID}
	if (t.PlacementID != "" || t.ExternalWorkbookID != "") && placed != stored && placed != standing {
		t.Document, t.Address = "", ""
	}
	return t
}

// resolve returns the target in the ids of this deployment, and what is wrong with its portable names.
func (f *finder) resolve(ctx context.Context, c *request.Call, t target) (record.RunTarget, []placements.Detail, error) {
	fault := func(member string, code placements.Code, message string) (record.RunTarget, []placements.Detail, error) {
		return t.RunTarget, []placements.Detail{{Pointer: "/target/" + member, Code: code, Message: message}}, nil
	}
	switch {
	case t.PublicID == "" && t.ReportID == 0:
		return fault("reportId", placements.CodeInvalid, "is required, or publicId: a schedule names its report")
	case t.PublicID == "" && t.Document == "" && t.Address == "":
		return t.RunTarget, nil, nil
	case t.Address != "" && t.Document == "":
		return fault("document", placements.CodeInvalid, "is required with an address: send it")
	}
	if t.Address != "" {
		if l, err := placements.ParseLocation(t.Address); err != nil || l.Sheet == "" {
			return fault("address", placements.CodeAddress, "names no cell of a sheet: write it as Sheet1!B2")
		}
	}
	report, err := f.targetReport(ctx, c, t)
	if errors.Is(err, storage.ErrNotFound) {
		return fault("publicId", placements.CodeNoReport,
			"names no report of this deployment that this token may read: create that report first, or name another one")
	}
	if err != nil || report == nil {
		return t.RunTarget, nil, err
	}
	if t.ReportID != 0 && t.ReportID != report.ID {
		return fault("reportId", placements.CodeTargetsDiffer, fmt.Sprintf("is %d, and publicId is %s, which is report %d here: "+
			"send only the one that you mean", t.ReportID, t.PublicID, report.ID))
	}
	if t.ReportID = report.ID; t.Document == "" {
		return t.RunTarget, nil, nil
	}
	home, err := f.store.Sites().Home(ctx, c.At.Tenant, t.Document)
	if err != nil {
		return t.RunTarget, nil, err
	}
	local, ok := portable.ScheduleTarget{Document: t.Document, Address: t.Address}.Local(report.ID, report.Places(), home)
	if !ok {
		return fault("address", placements.CodeAddress, "is no placement of the report: place the report there first, or leave address out")
	}
	return local, nil, nil
}

// targetReport is the report that a target names; ErrNotFound when its publicId names none that the caller may read, nil when its reportId
// does not, which is told where the schedule is written.
func (f *finder) targetReport(ctx context.Context, c *request.Call, t target) (report *storage.Report, err error) {
	if t.PublicID != "" {
		report, err = f.store.Reports().ByPublicID(ctx, c.At, t.PublicID)
	} else if report, err = f.store.Reports().Get(ctx, c.At, t.ReportID); errors.Is(err, storage.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	switch readable := access.MayRead(c.Caller, report) == nil; {
	case readable:
		return report, nil
	case t.PublicID == "":
		return nil, nil
	}
	return nil, storage.ErrNotFound
}

// showTarget is a stored target with its portable names, as far as it has some.
func showTarget(t record.RunTarget, report *storage.Report) target {
	shown := target{RunTarget: standing(t, report)}
	if report != nil {
		named := portable.TargetOf(t, report.StoredPublicID, report.Places())
		shown.PublicID, shown.Document, shown.Address = named.PublicID, named.Document, named.Address
	}
	return shown
}

// shownTarget are the ids by which the target of a schedule is shown.
func (f *finder) shownTarget(ctx context.Context, c *request.Call, one *record.Schedule) (record.RunTarget, error) {
	if one.Target.PlacementID == "" {
		return one.Target, nil
	}
	report, err := access.ReferredBy(f.store, c).Report(ctx, one.Target.ReportID)
	return standing(one.Target, report), err
}

// standing is a stored target with the id of the placement that its own is by now: it may have become one with another.
func standing(t record.RunTarget, report *storage.Report) record.RunTarget {
	if t.PlacementID == "" || report == nil {
		return t
	}
	for _, p := range report.Places() {
		if p.Is(t.PlacementID) && p.ID != "" {
			t.PlacementID = p.ID
			break
		}
	}
	return t
}
