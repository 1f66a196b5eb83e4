package web

import (
	"errors"
	"net/http"
	"strconv"

	"github.com/gin-gonic/gin"

	"mooring/refresh"
	"mooring/storage"
)

// runOptions are the keys that say how a run treats the cells it finds (decisions.md §7).
var runOptions = []member{
	{name: "onEdit", shape: oneOf(string(refresh.Keep), string(refresh.Overwrite), string(refresh.Stop))},
	{name: "shiftRows", shape: boolean},
}

var (
	runShape         = object(append(texts("placementId", "externalWorkbookId"), runOptions...)...)
	documentRunShape = object(runOptions...)
)

// startRun asks for a refresh of a report's placements: one of them, those in one spreadsheet, or all.
func (s *Server) startRun(c *gin.Context) error {
	report, err := s.readable(c)
	if err != nil {
		return err
	}
	body, err := s.decodeOptional(c, runShape)
	if err != nil {
		return err
	}
	req := requestOf(c, body, report.ID)
	if err := oneTarget(req.Target); err != nil {
		return err
	}
	if err := req.Target.Refreshable(report); err != nil {
		return err
	}
	run, err := s.engine.Start(c.Request.Context(), current(c).deployment(), req)
	if err != nil {
		return err
	}
	c.Header("Location", c.Request.URL.Path+"/"+run.ID)
	c.JSON(http.StatusAccepted, gin.H{"runId": run.ID})
	return nil
}

func requestOf(c *gin.Context, body values, reportID int64) refresh.Request {
	return refresh.Request{
		Target: storage.RunTarget{
			ReportID:           reportID,
			PlacementID:        body.text("placementId").OrZero(),
			ExternalWorkbookID: body.text("externalWorkbookId").OrZero(),
		},
		OnEdit:    refresh.OnEdit(body.text("onEdit").OrZero()),
		ShiftRows: body.flag("shiftRows"),
		By:        current(c).Caller.actor(),
	}
}

// actor is the caller as runs query on his behalf.
func (c *Caller) actor() storage.Actor {
	return storage.Actor{ID: c.UserID, Email: c.Email, Roles: c.Roles}
}

// oneTarget refuses a target that is named twice.
func oneTarget(t storage.RunTarget) error {
	if t.PlacementID != "" && t.ExternalWorkbookID != "" {
		return refuse(codeInvalid, "Send placementId or externalWorkbookId, not both.")
	}
	return nil
}

// startDocumentRuns asks for a refresh of everything in a spreadsheet that the caller may read, in one step.
func (s *Server) startDocumentRuns(c *gin.Context) error {
	body, err := s.decodeOptional(c, documentRunShape)
	if err != nil {
		return err
	}
	document := c.Param("externalWorkbookId")
	reports, err := s.reportsIn(c, document)
	if err != nil {
		return err
	}
	answer := make([]startedRun, len(reports))
	var orders []refresh.Order
	var ordered []*startedRun
	for i, d := range reports {
		answer[i] = startedRun{DeploymentID: d.deployment, ReportID: d.report}
		if err := d.definition.Queried(d.report); err != nil {
			answer[i].refuse(err)
			continue
		}
		req := requestOf(c, body, d.report)
		req.Target.ExternalWorkbookID = document
		orders, ordered = append(orders, refresh.Order{DeploymentID: d.deployment, Request: req}), append(ordered, &answer[i])
	}
	if len(orders) == 0 {
		return nothingIn(document, answer)
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

// startedRun is what became of the refresh of one report in a spreadsheet. With a code no run was made; runId is then that of the run in
// progress.
type startedRun struct {
	DeploymentID int64  `json:"deploymentId"`
	ReportID     int64  `json:"reportId"`
	RunID        string `json:"runId,omitempty"`
	Code         Code   `json:"code,omitempty"`
	Message      string `json:"message,omitempty"`
}

// refuse notes why no run was made.
func (r *startedRun) refuse(err error) {
	f := asFault(err)
	r.RunID, r.Code, r.Message = "", f.code, f.message
	if busy, ok := errors.AsType[*storage.Conflict](err); ok {
		r.RunID = busy.RunID
	}
}

// nothingIn is the answer where no report in a spreadsheet can be refreshed.
func nothingIn(document string, reports []startedRun) *fault {
	if len(reports) == 0 {
		return refuse(codeNothing, "No report that you may read stands in the spreadsheet %.80q: connect one to it first.", document)
	}
	return refuse(codeNothing, "No report in the spreadsheet %.80q has a query: give one an sqlQuery or a jsonQuery first.", document)
}

// placedReport names a report with a placement in a spreadsheet.
type placedReport struct {
	deployment, report int64
	definition         *storage.Definition
}

// reportsIn lists the reports with a placement in a spreadsheet that the caller may read.
func (s *Server) reportsIn(c *gin.Context, document string) ([]placedReport, error) {
	caller := current(c).Caller
	var list []placedReport
	seen := map[[2]int64]bool{} // deployment and report
	for after := ""; ; {
		p, err := s.store.DocumentPlacements(c.Request.Context(), caller.Tenant, document, after, maxPage)
		if err != nil {
			return nil, err
		}
		for _, d := range p.Items {
			name := [2]int64{d.DeploymentID, d.ReportID}
			readable := caller.inDeployment(d.DeploymentID) && caller.onReport(d.Definition.CreatedBy, d.Definition.RolesWithAccess) >= mayRead
			if readable && !seen[name] {
				seen[name] = true
				list = append(list, placedReport{d.DeploymentID, d.ReportID, d.Definition})
			}
		}
		if !p.HasNextPage {
			return list, nil
		}
		after = p.EndCursor
	}
}

// getRun answers with a run of the report.
func (s *Server) getRun(c *gin.Context) error {
	run, err := s.readableRun(c)
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, run)
	return nil
}

// listRuns answers with the latest runs of the report.
func (s *Server) listRuns(c *gin.Context) error {
	report, err := s.readable(c)
	if err != nil {
		return err
	}
	runs, err := s.store.Runs(c.Request.Context(), current(c).deployment(), report.ID)
	if err != nil {
		return err
	}
	for _, run := range runs {
		current(c).Caller.hideValues(run, report)
	}
	return answerRuns(c, runs)
}

// hideValues takes out of a run of a report what cells held that the caller may not see: what a run replaced is shown to who placed the report there and
// to who may manage it (decisions.md §3), to others only in which rows.
func (c *Caller) hideValues(run *storage.Run, report *storage.Report) {
	if c.level(report) >= mayManage {
		return
	}
	own := map[string]bool{}
	for _, p := range report.Placements {
		own[p.ID] = c.created(p.PlacedByUserID)
	}
	for _, p := range run.Placements {
		if own[p.PlacementID] {
			continue
		}
		for i := range p.Overwritten {
			p.Overwritten[i].Values = nil
		}
	}
}

// stopRun asks a run to stop. One that has ended stays as it is.
func (s *Server) stopRun(c *gin.Context) error {
	run, err := s.readableRun(c)
	if err != nil {
		return err
	}
	err = s.store.Stop(c.Request.Context(), current(c).deployment(), run.ID)
	if errors.Is(err, storage.ErrEnded) {
		c.JSON(http.StatusOK, run)
		return nil
	}
	if err != nil {
		return err
	}
	c.JSON(http.StatusAccepted, run)
	return nil
}

// readable loads the path's report if the caller may read it.
func (s *Server) readable(c *gin.Context) (*storage.Report, error) {
	id, err := pathID(c, "reportId", "report")
	if err != nil {
		return nil, err
	}
	r, err := s.store.Report(c.Request.Context(), current(c).deployment(), id)
	if err != nil {
		return nil, unreadable(err)
	}
	return r, current(c).Caller.mayReadReport(r)
}

// readableRun loads the path's run if the caller may read its report. A path that goes through a report finds that report's runs only.
func (s *Server) readableRun(c *gin.Context) (*storage.Run, error) {
	ctx, at := c.Request.Context(), current(c).deployment()
	run, err := s.store.Run(ctx, at, c.Param("runId"))
	if errors.Is(err, storage.ErrNotFound) {
		return nil, notFound("run")
	}
	if err != nil {
		return nil, err
	}
	if through := c.Param("reportId"); through != "" && through != strconv.FormatInt(run.ReportID, 10) {
		return nil, notFound("run")
	}
	report, err := s.store.Report(ctx, at, run.ReportID)
	if err != nil {
		return nil, unreadable(err)
	}
	if err := current(c).Caller.mayReadReport(report); err != nil {
		return nil, err
	}
	current(c).Caller.hideValues(run, report)
	return run, nil
}
