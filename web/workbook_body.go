package web

import (
	"github.com/gin-gonic/gin"

	"mooring/storage"
)

// workbookShape is the body of create, update and upsert of a workbook. The dashboards of an answer may be sent back; the draft
// that counts is meta's.
var workbookShape = object(append([]member{
	{name: "name", shape: text(maxName)},
	{name: "slug", shape: text(maxText)},
	{name: "folderId", shape: integer(1)},
	{name: "meta", shape: openObject(member{name: "dashboardDraft", shape: dashboardDraft})},
	{name: "expectedVersion", shape: integer(1)},
}, ignored("id", "deploymentId", "type", "createdAt", "updatedAt", "createdBy", "userId", "user", "version",
	"dashboardDraft", "dashboardPublished")...)...)

// dashboardShape is the body of the update-dashboard operation (interface.md, Update workbook dashboard).
var dashboardShape = object(append([]member{
	{name: "dashboardDraft", shape: dashboardDraft, required: true},
	{name: "expectedVersion", shape: integer(1)},
}, ignored("dashboardPublished")...)...)

// decodeWorkbook reads a body of workbookShape; the draft in it is complete and its charts name reports.
func (s *Server) decodeWorkbook(c *gin.Context) (values, storage.WorkbookInput, error) {
	body, k, err := s.examine(c, workbookShape)
	if err != nil {
		return nil, storage.WorkbookInput{}, err
	}
	if meta, ok := body["meta"].(map[string]any); ok {
		k.enter("meta")
		err = s.settleDraft(c, meta, k)
		k.leave()
	}
	if err == nil {
		err = k.err(codeInvalid)
	}
	if err != nil {
		return nil, storage.WorkbookInput{}, err
	}
	return body, storage.WorkbookInput{
		Name:     body.text("name"),
		Slug:     body.text("slug"),
		FolderID: body.integer("folderId"),
		Meta:     body.json("meta"),
	}, nil
}

// settleDraft completes the dashboardDraft of an object and resolves its charts. Faults go to k.
func (s *Server) settleDraft(c *gin.Context, in map[string]any, k *check) error {
	d, ok := in["dashboardDraft"].(map[string]any)
	if !ok {
		return nil
	}
	draft(d).complete()
	k.enter("dashboardDraft")
	defer k.leave()
	return s.resolveCharts(c, d, k)
}
