package web

import (
	"encoding/json"
	"net/http"
	"slices"

	"github.com/gin-gonic/gin"

	"mooring/placements"
	"mooring/refresh"
	"mooring/storage/record"
	"mooring/web/auth"
	"mooring/web/overview"
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
	p, err := s.store.Placements().InDocument(c.Request.Context(), caller.Tenant, c.Param("externalWorkbookId"), c.Query("after"), first)
	if err != nil {
		return err
	}
	return answerPage(c, p, func(d record.DocumentPlacement) ([]byte, error) { return encodeDocumentPlacement(caller, d, shows) })
}

// mayReadPlaced reports whether the caller may read the report of a placement in a spreadsheet.
func mayReadPlaced(caller *auth.Caller, d record.DocumentPlacement) bool {
	return caller.InDeployment(d.DeploymentID) && caller.Level(d.Definition) >= mayRead
}

// encodeDocumentPlacement returns the wire form of a placement in a spreadsheet for that caller, with what shows includes.
func encodeDocumentPlacement(caller *auth.Caller, d record.DocumentPlacement, shows []string) ([]byte, error) {
	if !mayReadPlaced(caller, d) {
		p := d.Placement
		at := deniedAddress{p.WorkbookID, p.SheetID, p.SheetName, p.AnchorCell, p.EndResultCell, p.ResultLocation}
		return encode(deniedPlacement{"DENIED", d.DeploymentID, at})
	}
	if !slices.Contains(shows, includeChecksums) {
		d.View = d.View.WithoutChecksum()
	}
	shown, err := overview.Show(d)
	if err != nil {
		return nil, err
	}
	return encode(shown)
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

// startDocumentRuns asks for a refresh of everything in a spreadsheet that the caller may read, in one step.
func (s *Server) startDocumentRuns(c *gin.Context) error {
	var in runOptions
	if err := s.read(c, &in); err != nil {
		return err
	}
	reports, err := s.reportsIn(c)
	if err != nil {
		return err
	}
	answer := make([]startedRun, len(reports))
	orders, ordered := in.orders(c, reports, answer)
	if len(orders) == 0 {
		return nothingIn(c.Param("externalWorkbookId"), answer)
	}
	runs, refused, err := s.engine.StartAll(c.Request.Context(), current(c).Caller.Tenant, orders)
	if err != nil {
		return err
	}
	for i, one := range ordered {
		one.RunID = runs[i].ID
		if refused[i] != nil {
			one.refuse(refused[i])
		}
	}
	c.JSON(http.StatusAccepted, gin.H{"runs": answer})
	return nil
}

// orders returns an order for each report that the caller may have refreshed, with the place of its answer; the answers of the others say
// why there is none.
func (b *runOptions) orders(c *gin.Context, reports []placedReport, answer []startedRun) (orders []refresh.Order, ordered []*startedRun) {
	for i, d := range reports {
		answer[i] = startedRun{DeploymentID: d.deployment, ReportID: d.report}
		req := b.request(c, record.RunTarget{ReportID: d.report, ExternalWorkbookID: c.Param("externalWorkbookId")})
		err := d.definition.Queried(d.report)
		if err == nil {
			err = mayOverwrite(current(c).Caller, req, d.definition, d.others)
		}
		if err != nil {
			answer[i].refuse(err)
			continue
		}
		orders = append(orders, refresh.Order{DeploymentID: d.deployment, Request: req})
		ordered = append(ordered, &answer[i])
	}
	return orders, ordered
}

// startedRun is what became of the refresh of one report in a spreadsheet. With a code no run was made; runId is then that of the run in
// progress.
type startedRun struct {
	DeploymentID int64           `json:"deploymentId"`
	ReportID     int64           `json:"reportId"`
	RunID        string          `json:"runId,omitempty"`
	Code         placements.Code `json:"code,omitempty"`
	Message      string          `json:"message,omitempty"`
}

// refuse notes why no run was made.
func (r *startedRun) refuse(err error) {
	e := asError(err)
	r.RunID, r.Code, r.Message = "", e.Code, e.Message
	if len(e.Details) > 0 {
		r.RunID = e.Details[0].RunID
	}
}

// nothingIn is the answer where none of the reports in a spreadsheet can be refreshed.
func nothingIn(document string, reports []startedRun) *placements.Error {
	for _, r := range reports {
		if r.Code == placements.CodeForbidden {
			return placements.Errorf(r.Code, "%s", r.Message)
		}
	}
	return placements.Errorf(placements.CodeNothing,
		"No report in the spreadsheet %.80q has a query: give one an sqlQuery or a jsonQuery first.", document)
}

// placedReport names a report with a placement in a spreadsheet.
type placedReport struct {
	deployment, report int64
	definition         *record.Definition
	others             bool // another person than the caller has placed it there
}

// reportsIn lists the reports with a placement in the path's spreadsheet that the caller may read; there is one at least.
func (s *Server) reportsIn(c *gin.Context) ([]placedReport, error) {
	caller, document := current(c).Caller, c.Param("externalWorkbookId")
	var list []placedReport
	seen := map[[2]int64]int{} // deployment and report -> index in list
	for after := ""; ; {
		p, err := s.store.Placements().InDocument(c.Request.Context(), caller.Tenant, document, after, overview.MaxPage)
		if err != nil {
			return nil, err
		}
		for _, d := range p.Items {
			name := [2]int64{d.DeploymentID, d.ReportID}
			if !mayReadPlaced(caller, d) {
				continue
			}
			at, known := seen[name]
			if !known {
				at, seen[name] = len(list), len(list)
				list = append(list, placedReport{d.DeploymentID, d.ReportID, d.Definition, false})
			}
			list[at].others = list[at].others || !d.Placement.Wholly(caller.ID)
		}
		if !p.HasNextPage {
			break
		}
		after = p.EndCursor
	}
	if len(list) == 0 {
		return nil, placements.Errorf(placements.CodeNothing,
			"No report that you may read stands in the spreadsheet %.80q: connect one to it first.", document)
	}
	return list, nil
}
