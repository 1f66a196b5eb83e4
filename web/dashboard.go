package web

import (
	"encoding/json"

	"github.com/gin-gonic/gin"

	"mooring/storage"
)

// updateDashboard replaces the draft of a workbook's dashboard; viewers keep seeing the published one (interface.md, Update
// workbook dashboard).
func (s *Server) updateDashboard(c *gin.Context) error {
	id, err := pathID(c, "workbookId", "workbook")
	if err != nil {
		return err
	}
	body, k, err := s.examine(c, dashboardShape)
	if err != nil {
		return err
	}
	if err := s.settleDraft(c, body, k); err != nil {
		return err
	}
	if err := k.err(); err != nil {
		return err
	}
	who, may := current(c).Caller.user(), mayChangeWorkbook(c, mayEdit, body)
	wb, err := s.store.UpdateDashboard(c.Request.Context(), current(c).deployment(), id, body.json("dashboardDraft").OrZero(), who, may)
	if err != nil {
		return absent(err, "workbook")
	}
	return answerDashboards(c, wb)
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
func (s *Server) publishDashboard(c *gin.Context) error {
	id, err := pathID(c, "workbookId", "workbook")
	if err != nil {
		return err
	}
	body, err := s.decodeOptional(c, object(member{name: "expectedVersion", shape: integer(1)}))
	if err != nil {
		return err
	}
	wb, err := s.store.Publish(c.Request.Context(), current(c).deployment(), id, current(c).Caller.user(), mayChangeWorkbook(c, mayEdit, body))
	if err != nil {
		return absent(err, "workbook")
	}
	return answerWorkbook(c, wb)
}

// answerDashboards answers with both dashboards of a workbook; one that does not exist yet is null.
func answerDashboards(c *gin.Context, wb *storage.Workbook) error {
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
