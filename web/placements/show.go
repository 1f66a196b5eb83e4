package placements

import (
	"encoding/json"
	"slices"

	"mooring/storage/record"
	"mooring/web/access"
	"mooring/web/auth"
	"mooring/web/request"
)

// placement is one of any report, for a caller who may read that.
type placement struct {
	Access       string          `json:"access"` // GRANTED
	DeploymentID int64           `json:"deploymentId"`
	ReportID     int64           `json:"reportId"`
	ReportName   string          `json:"reportName"`
	Placement    json.RawMessage `json:"placement"`
}

// granted returns d as a caller is shown it who may read its report.
func granted(d record.DocumentPlacement) (placement, error) {
	text, err := d.View.Append(nil, d.Definition)
	return placement{"GRANTED", d.DeploymentID, d.ReportID, d.Definition.Name, text}, err
}

// deniedPlacement is a placement in a spreadsheet for a caller who may not read its report and is told only where it stands
// (decisions.md §6). For others it is a placement.
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

// encode returns the wire form of a placement in a spreadsheet for that caller, with what shows includes.
func encode(caller *auth.Caller, d record.DocumentPlacement, shows []string) ([]byte, error) {
	if !access.MayReadPlaced(caller, d) {
		p := d.Placement
		at := deniedAddress{p.WorkbookID, p.SheetID, p.SheetName, p.AnchorCell, p.EndResultCell, p.ResultLocation}
		return record.EncodeBytes(deniedPlacement{"DENIED", d.DeploymentID, at})
	}
	if !slices.Contains(shows, request.IncludeChecksums) {
		d.View = d.View.WithoutChecksum()
	}
	shown, err := granted(d)
	if err != nil {
		return nil, err
	}
	return record.EncodeBytes(shown)
}

// encodeAll returns a list of them; never null.
func encodeAll(caller *auth.Caller, list []record.DocumentPlacement, shows []string) (json.RawMessage, error) {
	body := []byte{'['}
	for i, d := range list {
		text, err := encode(caller, d, shows)
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
