package workbooks

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/web/access"
	"mooring/web/bind"
	"mooring/web/dashboard"
	"mooring/web/request"
)

// drafts completes the drafts of dashboards that bodies hold.
type drafts struct{ store *storage.Store }

// complete returns a draft, which stands at that pointer of the body, with what the server says and its charts resolved. What is wrong
// with it joins f.
func (d drafts) complete(ctx context.Context, c *request.Call, text []byte, at string, f *bind.Faults) (json.RawMessage, error) {
	draft, wrong, err := dashboard.Read(text)
	if err != nil {
		return nil, err
	}
	unresolved, err := d.resolve(ctx, c, draft)
	if err != nil {
		return nil, err
	}
	for _, one := range append(wrong, unresolved...) {
		f.Join(placements.Detail{Pointer: at + one.Pointer, Code: one.Code, Message: one.Message})
	}
	return record.EncodeBytes(draft)
}

// setMember returns a JSON object with that value of a member.
func setMember(object json.RawMessage, name string, value json.RawMessage) (json.RawMessage, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(object, &members); err != nil {
		return nil, err
	}
	members[name] = value
	return record.EncodeBytes(members)
}

// resolve makes every chart of a draft name a report of the deployment by its numeric id alone: config.reportPublicId is looked up
// (decisions.md §5). A report that the caller may not read is a fault in the same words as one that does not exist, unless the workbook's
// draft shows it to the caller already: a draft can be sent back. The pointers of faults begin at the draft.
func (d drafts) resolve(ctx context.Context, c *request.Call, draft dashboard.Draft) ([]placements.Detail, error) {
	charts, faults := draft.Charts()
	if len(charts) == 0 {
		return faults, nil
	}
	known, err := d.reportsOf(ctx, c, charts)
	if err == nil && slices.ContainsFunc(charts, known.Unclear) {
		err = d.admitDrawn(ctx, c, &known)
	}
	if err != nil {
		return nil, err
	}
	for _, chart := range charts {
		faults = append(faults, chart.Resolve(&known)...)
	}
	return faults, nil
}

// reportsOf holds the reports that charts name, and returns what is known of them without the workbook.
func (d drafts) reportsOf(ctx context.Context, c *request.Call, charts []dashboard.Chart) (known dashboard.Reports, err error) {
	var publicIDs []string
	var ids []int64
	for _, chart := range charts {
		if chart.PublicID != "" {
			publicIDs = append(publicIDs, chart.PublicID)
		}
		if chart.ReportID != nil {
			ids = append(ids, *chart.ReportID)
		}
	}
	if known.ByPublicID, err = d.store.Reports().IDs(ctx, c.At, publicIDs); err != nil {
		return known, err
	}
	ids = slices.AppendSeq(ids, maps.Values(known.ByPublicID))
	if err := access.Hold(ctx, d.store, c, ids...); err != nil {
		return known, err
	}
	known.Readable, err = d.store.Reports().Readable(ctx, c.At, ids, func(createdBy int64, roles []record.RoleAccess) bool {
		return c.Caller.OnReport(createdBy, roles) >= record.MayRead
	})
	return known, err
}

// admitDrawn adds the reports that the draft of the path's workbook shows already, if the caller may read that: they may be sent back.
func (d drafts) admitDrawn(ctx context.Context, c *request.Call, known *dashboard.Reports) error {
	wb, err := d.workbook(ctx, c)
	if errors.Is(err, storage.ErrNotFound) {
		return nil
	}
	if err != nil || len(wb.DashboardDraft) == 0 || c.Caller.OnWorkbook(wb.CreatedBy) < record.MayRead {
		return err
	}
	drawn, err := dashboard.Parse(wb.DashboardDraft)
	if err != nil {
		return err
	}
	known.Drawn = drawn.Drawn()
	for _, id := range known.Drawn {
		if _, exists := known.Readable[id]; exists {
			known.Readable[id] = true
		}
	}
	return nil
}

// workbook reads the workbook that the path names by id or slug; ErrNotFound, also where it names none.
func (d drafts) workbook(ctx context.Context, c *request.Call) (*record.Workbook, error) {
	if slug, _ := record.NormalSlug(c.Param("slug")); slug != "" {
		return d.store.Workbooks().BySlug(ctx, c.At, slug)
	}
	id, err := c.PathID("workbookId", "workbook")
	if err != nil {
		return nil, storage.ErrNotFound
	}
	return d.store.Workbooks().Get(ctx, c.At, id)
}
