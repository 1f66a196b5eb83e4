package web

import (
	"encoding/json"
	"slices"

	"github.com/gin-gonic/gin"

	"mooring/storage"
)

// The values of a document placement's access.
const (
	granted = "GRANTED"
	denied  = "DENIED"
)

// documentPlacement is a placement in a spreadsheet for a caller who may read its report; deniedPlacement for one who may not and is told
// only where it stands (decisions.md §6).
type documentPlacement struct {
	Access       string          `json:"access"`
	DeploymentID int64           `json:"deploymentId"`
	ReportID     int64           `json:"reportId"`
	ReportName   string          `json:"reportName"`
	Placement    json.RawMessage `json:"placement"`
}

type deniedPlacement struct {
	Access       string        `json:"access"`
	DeploymentID int64         `json:"deploymentId"`
	Placement    deniedAddress `json:"placement"`
}

type deniedAddress struct {
	WorkbookID     string `json:"workbookId"`
	SheetID        string `json:"sheetId,omitempty"`
	SheetName      string `json:"sheetName"`
	AnchorCell     string `json:"anchorCell"`
	EndResultCell  string `json:"endResultCell,omitempty"`
	ResultLocation string `json:"resultLocation"`
}

// listDocumentPlacements answers with every placement in a spreadsheet, over all reports of the tenant.
func (s *Server) listDocumentPlacements(c *gin.Context) error {
	first, err := pageSize(c)
	if err != nil {
		return err
	}
	shows, err := included(c, includeChecksums)
	if err != nil {
		return err
	}
	caller := current(c).Caller
	p, err := s.store.DocumentPlacements(c.Request.Context(), caller.Tenant, c.Param("externalWorkbookId"), c.Query("after"), first)
	if err != nil {
		return err
	}
	return answerPage(c, p, func(d storage.DocumentPlacement) ([]byte, error) { return encodeDocumentPlacement(caller, d, shows) })
}

// encodeDocumentPlacement returns the wire form of a placement in a spreadsheet for that caller, with what shows includes.
func encodeDocumentPlacement(caller *Caller, d storage.DocumentPlacement, shows []string) ([]byte, error) {
	if !caller.inDeployment(d.DeploymentID) || caller.onReport(d.Definition.CreatedBy, d.Definition.RolesWithAccess) < mayRead {
		p := d.Placement
		return encode(deniedPlacement{denied, d.DeploymentID, deniedAddress{p.WorkbookID, p.SheetID, p.SheetName, p.AnchorCell, p.EndResultCell, p.ResultLocation}})
	}
	if !slices.Contains(shows, includeChecksums) {
		d.View = d.View.WithoutChecksum()
	}
	placement, err := appendPlacement(nil, d.View, d.Definition.CurrentChecksum)
	if err != nil {
		return nil, err
	}
	return encode(documentPlacement{granted, d.DeploymentID, d.ReportID, d.Definition.Name, placement})
}

// encodeDocumentPlacements returns a list of them; never null.
func encodeDocumentPlacements(caller *Caller, list []storage.DocumentPlacement, shows []string) (json.RawMessage, error) {
	body := []byte{'['}
	for i, d := range list {
		text, err := encodeDocumentPlacement(caller, d, shows)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			body = append(body, ',')
		}
		body = append(body, text...)
	}
	return append(body, ']'), nil
}
