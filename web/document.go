package web

import (
	"encoding/json"
	"slices"

	"mooring/storage/record"
	"mooring/web/access"
	"mooring/web/auth"
	"mooring/web/overview"
	"mooring/web/request"
)

// deniedPlacement is a placement in a spreadsheet for a caller who may not read its report and is told only where it stands
// (decisions.md §6). For others it is an overview.Placement.
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
func (s *Server) listDocumentPlacements(c *request.Call) error {
	first, err := c.First()
	if err != nil {
		return err
	}
	shows, err := c.Included(request.IncludeChecksums)
	if err != nil {
		return err
	}
	caller := c.Caller
	p, err := s.store.DocumentPlacements(c.Request.Context(), caller.Tenant, c.Param("externalWorkbookId"), c.Query("after"), first)
	if err != nil {
		return err
	}
	return answerPage(c, p, func(d record.DocumentPlacement) ([]byte, error) { return encodeDocumentPlacement(caller, d, shows) })
}

// encodeDocumentPlacement returns the wire form of a placement in a spreadsheet for that caller, with what shows includes.
func encodeDocumentPlacement(caller *auth.Caller, d record.DocumentPlacement, shows []string) ([]byte, error) {
	if !access.MayReadPlaced(caller, d) {
		p := d.Placement
		at := deniedAddress{p.WorkbookID, p.SheetID, p.SheetName, p.AnchorCell, p.EndResultCell, p.ResultLocation}
		return request.Encode(deniedPlacement{"DENIED", d.DeploymentID, at})
	}
	if !slices.Contains(shows, request.IncludeChecksums) {
		d.View = d.View.WithoutChecksum()
	}
	shown, err := overview.Show(d)
	if err != nil {
		return nil, err
	}
	return request.Encode(shown)
}

// encodeDocumentPlacements returns a list of them; never null.
func encodeDocumentPlacements(caller *auth.Caller, list []record.DocumentPlacement, shows []string) (json.RawMessage, error) {
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
