package workbooks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/web/bind"
	"mooring/web/members"
	"mooring/web/request"
)

// draftBody is a body with a draft, which is judged beside the reports and the workbook in the storage. What is wrong with it joins f; the
// error is that it could not be judged.
type draftBody interface {
	request.Body
	judge(ctx context.Context, c *request.Call, of drafts, f *bind.Faults) error
}

// read fills in with the request's body. All faults are in one error.
func (a *API) read(ctx context.Context, c *request.Call, in draftBody) error {
	if err := checkInclude(c); err != nil {
		return err
	}
	return a.bind(ctx, c, in)
}

// bind fills in with the request's body, whatever its answer is to include.
func (a *API) bind(ctx context.Context, c *request.Call, in draftBody) error {
	faults, err := c.Bind(in)
	if err != nil {
		return err
	}
	if err := in.judge(ctx, c, drafts{a.Store}, &faults); err != nil {
		return err
	}
	return request.Faulty(faults)
}

// readFor is read for the path's workbook, whose id it returns.
func (a *API) readFor(ctx context.Context, c *request.Call, in draftBody) (id int64, err error) {
	if err := checkInclude(c); err != nil {
		return 0, err
	}
	if id, err = c.PathID("workbookId", "workbook"); err != nil {
		return 0, err
	}
	return id, a.bind(ctx, c, in)
}

// workbookBody is the body of create, update and upsert of a workbook. The dashboards of an answer may be sent back; the draft
// that counts is meta's, and another one beside it is a fault.
type workbookBody struct {
	record.WorkbookInput
	draft    placements.Optional[json.RawMessage] // in meta
	shown    placements.Optional[json.RawMessage] // dashboardDraft, which repeats that
	expected placements.Optional[int64]
}

// Members implements request.Body.
func (b *workbookBody) Members(o *bind.Object) {
	bind.OptionalText(o, "name", &b.Name, members.MaxName)
	bind.OptionalText(o, "slug", &b.Slug, bind.AnyLength, slugRule)
	o.OptionalWhole("folderId", &b.FolderID, 1)
	o.JSON("meta", &b.Meta, func(o *bind.Object) {
		o.Open()
		o.JSON("dashboardDraft", &b.draft, members.Draft)
	})
	o.JSON("dashboardDraft", &b.shown, (*bind.Object).Open)
	o.OptionalWhole("expectedVersion", &b.expected, 1)
	o.Ignored("id", "deploymentId", "type", "createdAt", "updatedAt", "createdBy", "userId", "user", "version", "updatedBy",
		"dashboardPublished", "managedBy")
}

// workbookKeys are the keys that a workbook may be sent back with.
var workbookKeys = bind.Names(new(workbookBody).Members)

// slugRule takes a slug in whatever case; an empty one is none.
func slugRule(sent string) (code placements.Code, message string) {
	if _, wrong := record.NormalSlug(sent); sent != "" && wrong != "" {
		return placements.CodeSlug, wrong
	}
	return "", ""
}

// judge judges the slug and the draft of a workbook.
func (b *workbookBody) judge(ctx context.Context, c *request.Call, of drafts, f *bind.Faults) error {
	if inPath := c.Param("slug"); inPath != "" {
		b.sameSlug(inPath, f)
	}
	if b.draft.Sent || c.Request.Method == http.MethodPost {
		f.Join(b.otherDraft(b.draft.OrZero())...)
	}
	if b.draft.Value != nil {
		draft, err := of.complete(ctx, c, *b.draft.Value, "/meta/dashboardDraft", f)
		if err != nil {
			return err
		}
		meta, err := setMember(*b.Meta.Value, "dashboardDraft", draft)
		if b.Meta = placements.Sent(meta); err != nil {
			return err
		}
	}
	return b.agrees(ctx, c, of, f)
}

// agrees checks the body against the workbook of the path, as far as the caller may edit that one: a dashboardDraft without one in meta, and
// where there are other faults the slug. Without others storage does.
func (b *workbookBody) agrees(ctx context.Context, c *request.Call, of drafts, f *bind.Faults) error {
	repeats, inPath := b.shown.Value != nil && !b.draft.Sent, c.Param("slug")
	if c.Request.Method == http.MethodPost || !repeats && (len(*f) == 0 || !b.Slug.Sent) {
		return nil
	}
	wb, err := of.workbook(ctx, c)
	switch {
	case errors.Is(err, storage.ErrNotFound) && inPath == "":
		return nil
	case errors.Is(err, storage.ErrNotFound):
		wb = new(record.Workbook) // it is created
		wb.CreatedBy = c.Caller.ID
	case err != nil:
		return err
	}
	if c.Caller.OnWorkbook(wb.CreatedBy) < record.MayEdit {
		return nil
	}
	if repeats {
		f.Join(b.otherDraft(b.keptDraft(c, wb))...)
	}
	if slug, _ := record.NormalSlug(b.Slug.OrZero()); len(*f) > 0 && b.Slug.Sent && inPath == "" && wb.Slug != "" && slug != wb.Slug {
		f.Join(placements.Detail{Pointer: "/slug", Code: placements.CodeSlugFixed, Message: wb.FixedSlug()})
	}
	return nil
}

// keptDraft is the draft that wb keeps when the body, which has none in meta, is written: an update replaces meta, an upsert merges it.
func (b *workbookBody) keptDraft(c *request.Call, wb *record.Workbook) json.RawMessage {
	if b.Meta.Sent && c.Param("slug") == "" {
		return nil
	}
	return wb.DashboardDraft
}

// otherDraft returns the fault of a dashboardDraft that is not the one the workbook is to have.
func (b *workbookBody) otherDraft(draft json.RawMessage) bind.Faults {
	if b.shown.Value == nil || record.SameDashboard(*b.shown.Value, draft) {
		return nil
	}
	message := "is not the draft that the workbook has: send it as /meta/dashboardDraft, or leave it out"
	if b.draft.Sent {
		message = "differs from /meta/dashboardDraft, which counts: send that alone, or both alike"
	}
	return bind.Faults{{Pointer: "/dashboardDraft", Code: placements.CodeDraftsDiffer, Message: message}}
}

// repeats refuses a dashboardDraft without one in meta that is not draft, which the workbook keeps.
func (b *workbookBody) repeats(draft json.RawMessage) error {
	if b.draft.Sent {
		return nil
	}
	if wrong := b.otherDraft(draft); len(wrong) > 0 {
		return placements.Faulty(wrong...)
	}
	return nil
}

// sameSlug checks the slug of the path, and that a body that has one too has the same.
func (b *workbookBody) sameSlug(inPath string, f *bind.Faults) {
	slug, wrong := record.NormalSlug(inPath)
	if wrong != "" {
		f.Add(placements.Detail{Code: placements.CodeSlug, Message: "In the path: " + wrong})
	}
	sent := b.Slug.OrZero()
	if other, bad := record.NormalSlug(sent); sent != "" && bad == "" && other != slug {
		message := fmt.Sprintf("The path says %.80s: send the same slug, or none.", inPath)
		f.Add(placements.Detail{Pointer: "/slug", Code: placements.CodeSlugFixed, Message: message})
	}
}

// dashboardBody is the body of the update-dashboard operation (interface.md, Update workbook dashboard).
type dashboardBody struct {
	draft    placements.Optional[json.RawMessage]
	expected placements.Optional[int64]
}

// Members implements request.Body.
func (b *dashboardBody) Members(o *bind.Object) {
	o.Required("dashboardDraft")
	o.JSON("dashboardDraft", &b.draft, members.Draft)
	o.OptionalWhole("expectedVersion", &b.expected, 1)
	o.Ignored(workbookKeys...)
}

// judge judges the draft of a dashboard.
func (b *dashboardBody) judge(ctx context.Context, c *request.Call, of drafts, f *bind.Faults) error {
	if b.draft.Value == nil {
		return nil
	}
	draft, err := of.complete(ctx, c, *b.draft.Value, "/dashboardDraft", f)
	b.draft = placements.Sent(draft)
	return err
}

// versionBody is the body of publishing a dashboard.
type versionBody struct {
	request.MayBeMissing
	expected placements.Optional[int64]
}

// Members implements request.Body.
func (b *versionBody) Members(o *bind.Object) { o.OptionalWhole("expectedVersion", &b.expected, 1) }
