package web

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/gin-gonic/gin"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/list"
	"mooring/storage/record"
	"mooring/web/auth"
	"mooring/web/bind"
	"mooring/web/members"
)

// createWorkbook makes a workbook; it needs WorkbookEdit in the token's own actions (decisions.md §3).
func createWorkbook(s *Server, c *gin.Context, in *workbookInput) (*record.Workbook, error) {
	return s.store.Workbooks().Create(c.Request.Context(), current(c).deployment(), in.WorkbookInput, current(c).Caller.Actor)
}

// answerMadeWorkbook answers as createWorkbook did that made the workbook, with what it is now.
func answerMadeWorkbook(s *Server, c *gin.Context, id int64) error {
	if _, err := included(c, includePublicIDs); err != nil {
		return err
	}
	wb, err := s.store.Workbooks().Get(c.Request.Context(), current(c).deployment(), id)
	if err != nil {
		return absent(err, "workbook")
	}
	if err := demand(current(c).Caller.OnWorkbook(wb.CreatedBy), mayRead, "workbook"); err != nil {
		return err
	}
	wb.Effect = record.Created
	return answerWorkbook(s, c, wb)
}

// workbook loads the path's workbook for a caller with that level on it.
func (s *Server) workbook(c *gin.Context, want level) (*record.Workbook, error) {
	id, err := pathID(c, "workbookId", "workbook")
	if err != nil {
		return nil, err
	}
	wb, err := s.store.Workbooks().Get(c.Request.Context(), current(c).deployment(), id)
	if err != nil {
		return nil, absent(err, "workbook")
	}
	return wb, demand(current(c).Caller.OnWorkbook(wb.CreatedBy), want, "workbook")
}

// getWorkbook answers with a workbook and both its dashboards.
func (s *Server) getWorkbook(c *gin.Context) error {
	wb, err := s.workbook(c, mayRead)
	if err != nil {
		return err
	}
	return answerWorkbook(s, c, wb)
}

// getWorkbookBySlug answers with the workbook that has the path's slug.
func (s *Server) getWorkbookBySlug(c *gin.Context) error {
	slug, wrong := record.NormalSlug(c.Param("slug"))
	if wrong != "" {
		return notFound("workbook")
	}
	wb, err := s.store.Workbooks().BySlug(c.Request.Context(), current(c).deployment(), slug)
	if err != nil {
		return absent(err, "workbook")
	}
	if err := demand(current(c).Caller.OnWorkbook(wb.CreatedBy), mayRead, "workbook"); err != nil {
		return err
	}
	return answerWorkbook(s, c, wb)
}

// updateWorkbook sets the fields sent and replaces meta; it needs edit access.
func updateWorkbook(s *Server, c *gin.Context, id int64, in *workbookInput) (*record.Workbook, error) {
	allow := func(wb *record.Workbook) error {
		return cmp.Or(mayChangeWorkbook(c, mayEdit, in.expected)(wb), in.repeats(in.keptDraft(c, wb)))
	}
	return s.store.Workbooks().Update(c.Request.Context(), current(c).deployment(), id, in.WorkbookInput, current(c).Caller.Actor, allow)
}

// upsertWorkbook creates the workbook with the path's slug or updates the one that has it, merging meta (interface.md, Create or
// update a workbook by slug).
func upsertWorkbook(s *Server, c *gin.Context, in *workbookInput) (*record.Workbook, error) {
	slug, _ := record.NormalSlug(c.Param("slug"))
	allow := func(wb *record.Workbook) error {
		if wb == nil {
			return cmp.Or(mayStartWorkbook(c, in.expected), in.repeats(nil))
		}
		return cmp.Or(mayChangeWorkbook(c, mayEdit, in.expected)(wb), in.repeats(in.keptDraft(c, wb)))
	}
	return s.store.Workbooks().Upsert(c.Request.Context(), current(c).deployment(), slug, in.WorkbookInput, current(c).Caller.Actor, allow)
}

// deleteWorkbook removes a workbook with its dashboards; it needs manage access.
func (s *Server) deleteWorkbook(c *gin.Context) error {
	id, err := pathID(c, "workbookId", "workbook")
	if err != nil {
		return err
	}
	allow := mayChangeWorkbook(c, mayManage, placements.Optional[int64]{})
	if err := s.store.Workbooks().Delete(c.Request.Context(), current(c).deployment(), id, current(c).Caller.Actor, allow); err != nil {
		return absent(err, "workbook")
	}
	answerDeleted(c, id)
	return nil
}

// mayChangeWorkbook is the access check of writes, asked with the workbook as stored.
func mayChangeWorkbook(c *gin.Context, want level, expected placements.Optional[int64]) func(*record.Workbook) error {
	return func(wb *record.Workbook) error {
		if err := demand(current(c).Caller.OnWorkbook(wb.CreatedBy), want, "workbook"); err != nil {
			return err
		}
		if err := ifMatch(c, workbookEdition(wb)); err != nil {
			return err
		}
		return expectVersion(expected, wb.Version)
	}
}

func mayCreateWorkbook(c *auth.Caller) error {
	if !c.MayCreateWorkbook() {
		return placements.Errorf(placements.CodeForbidden,
			"Creating a workbook needs the action WorkbookEdit in the token itself: ask for a token with it.")
	}
	return nil
}

// mayStartWorkbook is the access check of an upsert that would create; see mayStartReport.
func mayStartWorkbook(c *gin.Context, expected placements.Optional[int64]) error {
	caller := current(c).Caller
	if caller.OnWorkbook(0) < mayRead {
		return notFound("workbook")
	}
	if err := mayCreateWorkbook(caller); err != nil {
		return err
	}
	return expectNone(c, expected)
}

// workbooks are how the operations on a workbook answer.
var workbooks = resource[*record.Workbook]{"workbookId", "workbook", answerWorkbook}

// answerWorkbook answers with a workbook and its ETag.
func answerWorkbook(s *Server, c *gin.Context, wb *record.Workbook) error {
	if err := s.nameReports(c, wb); err != nil {
		return err
	}
	body, err := encode(wb)
	if err != nil {
		return err
	}
	sayEffect(c, wb.Effect)
	return answerTagged(c, workbookEdition(wb), body)
}

// listWorkbooks answers with the workbooks that the caller may read.
func (s *Server) listWorkbooks(c *gin.Context) error {
	q, _, err := listQuery(c, includeMeta, includePublicIDs)
	if err != nil {
		return err
	}
	if sent := c.Query("slug"); sent != "" {
		var wrong string
		if q.Slug, wrong = record.NormalSlug(sent); wrong != "" {
			return placements.Errorf(placements.CodeParameter, "slug: %s", wrong)
		}
	}
	caller := current(c).Caller
	items := s.store.Workbooks().List(c.Request.Context(), current(c).deployment(), q, func(wb *record.Workbook) bool {
		return caller.OnWorkbook(wb.CreatedBy) >= mayRead
	})
	return answerList(s, c, q.First, items, func(item list.Item[*record.Workbook]) ([]byte, error) {
		switch wb := item.Asset; {
		case item.Err != nil:
			return s.encodeUnreadable(c, wb.Type, wb.ID, item.Err)
		case q.Meta:
			return encode(wb)
		default:
			return encode(bareWorkbook{Workbook: wb})
		}
	})
}

// bareWorkbook is a workbook without what may be large.
type bareWorkbook struct {
	*record.Workbook
	Meta               *struct{} `json:"meta,omitempty"`
	DashboardDraft     *struct{} `json:"dashboardDraft,omitempty"`
	DashboardPublished *struct{} `json:"dashboardPublished,omitempty"`
}

// workbookInput is the body of create, update and upsert of a workbook. The dashboards of an answer may be sent back; the draft
// that counts is meta's, and another one beside it is a fault.
type workbookInput struct {
	record.WorkbookInput
	draft    placements.Optional[json.RawMessage] // in meta
	shown    placements.Optional[json.RawMessage] // dashboardDraft, which repeats that
	expected placements.Optional[int64]
}

func (b *workbookInput) members(o *bind.Object) {
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
var workbookKeys = bind.Names(new(workbookInput).members)

// slugRule takes a slug in whatever case; an empty one is none.
func slugRule(sent string) (code placements.Code, message string) {
	if _, wrong := record.NormalSlug(sent); sent != "" && wrong != "" {
		return placements.CodeSlug, wrong
	}
	return "", ""
}

func (b *workbookInput) rules(s *Server, c *gin.Context, f *bind.Faults) error {
	if inPath := c.Param("slug"); inPath != "" {
		b.sameSlug(inPath, f)
	}
	if b.draft.Sent || c.Request.Method == http.MethodPost {
		f.Join(b.otherDraft(b.draft.OrZero())...)
	}
	if b.draft.Value != nil {
		draft, err := s.completeDraft(c, *b.draft.Value, "/meta/dashboardDraft", f)
		if err != nil {
			return err
		}
		meta, err := setMember(*b.Meta.Value, "dashboardDraft", draft)
		if b.Meta = placements.Sent(meta); err != nil {
			return err
		}
	}
	return b.agrees(s, c, f)
}

// agrees checks the body against the workbook of the path, as far as the caller may edit that one: a dashboardDraft without one in meta, and
// where there are other faults the slug. Without others storage does.
func (b *workbookInput) agrees(s *Server, c *gin.Context, f *bind.Faults) error {
	repeats, inPath := b.shown.Value != nil && !b.draft.Sent, c.Param("slug")
	if c.Request.Method == http.MethodPost || !repeats && (len(*f) == 0 || !b.Slug.Sent) {
		return nil
	}
	wb, err := s.pathWorkbook(c)
	switch {
	case errors.Is(err, storage.ErrNotFound) && inPath == "":
		return nil
	case errors.Is(err, storage.ErrNotFound):
		wb = new(record.Workbook) // it is created
		wb.CreatedBy = current(c).Caller.ID
	case err != nil:
		return err
	}
	if current(c).Caller.OnWorkbook(wb.CreatedBy) < mayEdit {
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
func (b *workbookInput) keptDraft(c *gin.Context, wb *record.Workbook) json.RawMessage {
	if b.Meta.Sent && c.Param("slug") == "" {
		return nil
	}
	return wb.DashboardDraft
}

// otherDraft returns the fault of a dashboardDraft that is not the one the workbook is to have.
func (b *workbookInput) otherDraft(draft json.RawMessage) bind.Faults {
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
func (b *workbookInput) repeats(draft json.RawMessage) error {
	if b.draft.Sent {
		return nil
	}
	if wrong := b.otherDraft(draft); len(wrong) > 0 {
		return placements.Faulty(wrong...)
	}
	return nil
}

// sameSlug checks the slug of the path, and that a body that has one too has the same.
func (b *workbookInput) sameSlug(inPath string, f *bind.Faults) {
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
