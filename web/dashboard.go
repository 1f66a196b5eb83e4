package web

import (
	"encoding/json"

	"github.com/gin-gonic/gin"

	"mooring/storage/record"
	"mooring/web/bind"
)

// updateDashboard replaces the draft of a workbook's dashboard; viewers keep seeing the published one (interface.md, Update
// workbook dashboard).
func updateDashboard(s *Server, c *gin.Context, id int64, in *dashboardInput) (*record.Workbook, error) {
	who, may := current(c).Caller.User(), mayChangeWorkbook(c, mayEdit, in.expected)
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
	return demand(current(c).Caller.OnWorkbook(wb.CreatedBy), mayEdit, "workbook")
}

// publishDashboard makes the draft visible; publishing it again changes nothing (interface.md, States and transitions).
func publishDashboard(s *Server, c *gin.Context, id int64, in *versionInput) (*record.Workbook, error) {
	who, may := current(c).Caller.User(), mayChangeWorkbook(c, mayEdit, in.expected)
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

// dashboardInput is the body of the update-dashboard operation (interface.md, Update workbook dashboard).
type dashboardInput struct {
	draft    record.Optional[json.RawMessage]
	expected record.Optional[int64]
}

func (b *dashboardInput) members(o *bind.Object) {
	o.Required("dashboardDraft")
	o.JSON("dashboardDraft", &b.draft, draftMembers)
	o.OptionalWhole("expectedVersion", &b.expected, 1)
	o.Ignored(workbookKeys...)
}

func (b *dashboardInput) rules(s *Server, c *gin.Context, f *bind.Faults) error {
	if b.draft.Value == nil {
		return nil
	}
	draft, err := s.completeDraft(c, *b.draft.Value, "/dashboardDraft", f)
	b.draft = record.Sent(draft)
	return err
}

// versionInput is the body of publishing a dashboard.
type versionInput struct {
	mayBeMissing
	expected record.Optional[int64]
}

func (b *versionInput) members(o *bind.Object) { o.OptionalWhole("expectedVersion", &b.expected, 1) }
