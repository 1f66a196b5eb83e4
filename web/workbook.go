package web

import (
	"encoding/json"
	"errors"

	"github.com/gin-gonic/gin"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
)

// createWorkbook makes a workbook; it needs WorkbookEdit in the token's own actions (decisions.md §3).
func (s *Server) createWorkbook(c *gin.Context) error {
	if err := mayCreateWorkbook(current(c).Caller); err != nil {
		return err
	}
	var in workbookInput
	if err := s.read(c, &in); err != nil {
		return err
	}
	wb, err := s.store.CreateWorkbook(c.Request.Context(), current(c).deployment(), in.WorkbookInput, current(c).Caller.user())
	if err != nil {
		return err
	}
	return answerWorkbook(s, c, wb)
}

// getWorkbook answers with a workbook and both its dashboards.
func (s *Server) getWorkbook(c *gin.Context) error {
	id, err := pathID(c, "workbookId", "workbook")
	if err != nil {
		return err
	}
	wb, err := s.store.Workbook(c.Request.Context(), current(c).deployment(), id)
	return s.answerReadable(c, wb, err)
}

// getWorkbookBySlug answers with the workbook that has the path's slug.
func (s *Server) getWorkbookBySlug(c *gin.Context) error {
	slug, wrong := record.NormalSlug(c.Param("slug"))
	if wrong != "" {
		return notFound("workbook")
	}
	wb, err := s.store.WorkbookBySlug(c.Request.Context(), current(c).deployment(), slug)
	return s.answerReadable(c, wb, err)
}

// answerReadable answers with a workbook as it was read, if the caller may read it.
func (s *Server) answerReadable(c *gin.Context, wb *record.Workbook, err error) error {
	if errors.Is(err, storage.ErrNotFound) {
		return notFound("workbook")
	}
	if err != nil {
		return absent(err, "workbook")
	}
	if err := demand(current(c).Caller.onWorkbook(wb.CreatedBy), mayRead, "workbook"); err != nil {
		return err
	}
	return answerWorkbook(s, c, wb)
}

// updateWorkbook sets the fields sent and replaces meta; it needs edit access.
func updateWorkbook(s *Server, c *gin.Context, id int64, in *workbookInput) (*record.Workbook, error) {
	who, may := current(c).Caller.user(), mayChangeWorkbook(c, mayEdit, in.expected)
	return s.store.UpdateWorkbook(c.Request.Context(), current(c).deployment(), id, in.WorkbookInput, who, may)
}

// upsertWorkbook creates the workbook with the path's slug or updates the one that has it, merging meta (interface.md, Create or
// update a workbook by slug).
func (s *Server) upsertWorkbook(c *gin.Context) error {
	slug, _ := record.NormalSlug(c.Param("slug"))
	var in workbookInput
	if err := s.read(c, &in); err != nil {
		return err
	}
	allow := func(wb *record.Workbook) error {
		if wb == nil {
			return mayStartWorkbook(c, in.expected)
		}
		return mayChangeWorkbook(c, mayEdit, in.expected)(wb)
	}
	wb, err := s.store.UpsertWorkbook(c.Request.Context(), current(c).deployment(), slug, in.WorkbookInput, current(c).Caller.user(), allow)
	if err != nil {
		return err
	}
	return answerWorkbook(s, c, wb)
}

// deleteWorkbook removes a workbook with its dashboards; it needs manage access.
func (s *Server) deleteWorkbook(c *gin.Context) error {
	id, err := pathID(c, "workbookId", "workbook")
	if err != nil {
		return err
	}
	if err := s.store.DeleteWorkbook(c.Request.Context(), current(c).deployment(), id, current(c).Caller.user(), mayChangeWorkbook(c, mayManage, placements.Optional[int64]{})); err != nil {
		return absent(err, "workbook")
	}
	answerDeleted(c, id)
	return nil
}

// mayChangeWorkbook is the access check of writes, asked with the workbook as stored.
func mayChangeWorkbook(c *gin.Context, want level, expected placements.Optional[int64]) func(*record.Workbook) error {
	return func(wb *record.Workbook) error {
		if err := demand(current(c).Caller.onWorkbook(wb.CreatedBy), want, "workbook"); err != nil {
			return err
		}
		if err := ifMatch(c, wb.Version); err != nil {
			return err
		}
		return expectVersion(expected, wb.Version)
	}
}

func mayCreateWorkbook(c *Caller) error {
	if !c.actor().MayCreateWorkbook() {
		return placements.Errorf(placements.CodeForbidden,
			"Creating a workbook needs the action WorkbookEdit in the token itself: ask for a token with it.")
	}
	return nil
}

// mayStartWorkbook is the access check of an upsert that would create; see mayStartReport.
func mayStartWorkbook(c *gin.Context, expected placements.Optional[int64]) error {
	caller := current(c).Caller
	if caller.onWorkbook(0) < mayRead {
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
func answerWorkbook(_ *Server, c *gin.Context, wb *record.Workbook) error {
	body, err := encode(wb)
	if err != nil {
		return err
	}
	sayEffect(c, wb.Effect)
	return answerTagged(c, wb.Version, body)
}

// updateDashboard replaces the draft of a workbook's dashboard; viewers keep seeing the published one (interface.md, Update
// workbook dashboard).
func updateDashboard(s *Server, c *gin.Context, id int64, in *dashboardInput) (*record.Workbook, error) {
	who, may := current(c).Caller.user(), mayChangeWorkbook(c, mayEdit, in.expected)
	return s.store.UpdateDashboard(c.Request.Context(), current(c).deployment(), id, in.draft.OrZero(), who, may)
}

// mayPublish is the access check of publishDashboard.
func (s *Server) mayPublish(c *gin.Context) error {
	id, err := pathID(c, "workbookId", "workbook")
	if err != nil {
		return err
	}
	wb, err := s.store.Workbook(c.Request.Context(), current(c).deployment(), id)
	if err != nil {
		return absent(err, "workbook")
	}
	return demand(current(c).Caller.onWorkbook(wb.CreatedBy), mayEdit, "workbook")
}

// publishDashboard makes the draft visible; publishing it again changes nothing (interface.md, States and transitions).
func publishDashboard(s *Server, c *gin.Context, id int64, in *versionInput) (*record.Workbook, error) {
	who, may := current(c).Caller.user(), mayChangeWorkbook(c, mayEdit, in.expected)
	return s.store.Publish(c.Request.Context(), current(c).deployment(), id, who, may)
}

// dashboards are how the operations on a workbook's dashboards answer.
var dashboards = resource[*record.Workbook]{"workbookId", "workbook", answerDashboards}

// answerDashboards answers with both dashboards of a workbook; one that does not exist yet is null.
func answerDashboards(_ *Server, c *gin.Context, wb *record.Workbook) error {
	body, err := encode(struct {
		Draft     json.RawMessage `json:"dashboardDraft"`
		Published json.RawMessage `json:"dashboardPublished"`
	}{wb.DashboardDraft, wb.DashboardPublished})
	if err != nil {
		return err
	}
	sayEffect(c, wb.Effect)
	return answerTagged(c, wb.Version, body)
}
