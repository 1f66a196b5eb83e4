package web

import (
	"cmp"
	"errors"
	"net/http"
	"strconv"

	"github.com/gin-gonic/gin"

	"mooring/placements"
	"mooring/refresh"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/web/bind"
)

// runOptions are the keys that say how a run treats the cells it finds (decisions.md §7): all that a run of a document takes.
type runOptions struct {
	mayBeMissing
	placements.Options
	shiftRows bool
}

func (b *runOptions) members(o *bind.Object) {
	o.Flag("shiftRows", &b.shiftRows)
	optionMembers(o, &b.Options)
}

// runInput is the body of a run of a report.
type runInput struct {
	runOptions
	record.RunTarget
}

func (b *runInput) members(o *bind.Object) {
	bind.Text(o, "placementId", &b.PlacementID, maxText)
	bind.Text(o, "externalWorkbookId", &b.ExternalWorkbookID, maxText)
	b.runOptions.members(o)
}

// startRun asks for a refresh of a report's placements: one of them, those in one spreadsheet, or all.
func (s *Server) startRun(c *gin.Context) error {
	report, req, err := s.mayStart(c)
	if err != nil {
		return err
	}
	if err := req.Target.Refreshable(&report.Definition, report.Places()); err != nil {
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

// mayStart reads a request for a run of the path's report that the caller may ask for.
func (s *Server) mayStart(c *gin.Context) (*storage.Report, refresh.Request, error) {
	report, err := s.readable(c)
	if err != nil {
		return nil, refresh.Request{}, err
	}
	var in runInput
	if err := s.read(c, &in); err != nil {
		return nil, refresh.Request{}, err
	}
	in.ReportID = report.ID
	req := in.request(c, in.RunTarget)
	if err := oneTarget(req.Target); err != nil {
		return nil, req, err
	}
	others := req.Target.NamesOthers(report.Places(), req.By.ID)
	return report, req, mayOverwrite(current(c).Caller, req, &report.Definition, others)
}

// request asks for a run of a target with these options.
func (b *runOptions) request(c *gin.Context, of record.RunTarget) refresh.Request {
	return refresh.Request{Target: of, Options: b.Over(placements.Options{}), ShiftRows: b.shiftRows, By: current(c).Caller.actor()}
}

// mayOverwrite refuses a run that would overwrite what people typed into the block of another person's placement, or remove the signature
// of its workbook, unless the caller may edit the report of that definition. others says that the run names such a placement.
func mayOverwrite(caller *Caller, req refresh.Request, d *record.Definition, others bool) error {
	if !req.Destroys() || !others || caller.onReport(d.CreatedBy, d.RolesWithAccess) >= mayEdit {
		return nil
	}
	return placements.Errorf(placements.CodeForbidden,
		`Another person placed report %d there: onEdit "overwrite" and breakSignature need edit access to the report; `+
			`send "keep" or "stop" and no breakSignature, or name a placement of your own.`, req.Target.ReportID)
}

// oneTarget refuses a target that is named twice.
func oneTarget(t record.RunTarget) error {
	if t.PlacementID != "" && t.ExternalWorkbookID != "" {
		return placements.Errorf(placements.CodeInvalid, "Send placementId or externalWorkbookId, not both.")
	}
	return nil
}

// startDocumentRuns asks for a refresh of everything in a spreadsheet that the caller may read, in one step.
func (s *Server) startDocumentRuns(c *gin.Context) error {
	var in runOptions
	if err := s.read(c, &in); err != nil {
		return err
	}
	document := c.Param("externalWorkbookId")
	reports, err := s.reportsIn(c)
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
		req := in.request(c, record.RunTarget{ReportID: d.report, ExternalWorkbookID: document})
		if err := mayOverwrite(current(c).Caller, req, d.definition, d.others); err != nil {
			answer[i].refuse(err)
			continue
		}
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
		p, err := s.store.DocumentPlacements(c.Request.Context(), caller.Tenant, document, after, maxPage)
		if err != nil {
			return nil, err
		}
		for _, d := range p.Items {
			name := [2]int64{d.DeploymentID, d.ReportID}
			readable := caller.inDeployment(d.DeploymentID) && caller.onReport(d.Definition.CreatedBy, d.Definition.RolesWithAccess) >= mayRead
			if !readable {
				continue
			}
			at, known := seen[name]
			if !known {
				at, seen[name] = len(list), len(list)
				list = append(list, placedReport{d.DeploymentID, d.ReportID, d.Definition, false})
			}
			list[at].others = list[at].others || !d.Placement.PlacedFor(caller.UserID)
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

// hideValues takes out of a run of a report what cells held that the caller may not see: what a run replaced is shown to the user on
// whose behalf it wrote there and to who may manage the report (decisions.md §3), to others only in which rows. Who takes a placement
// over sees nothing of the runs before.
func (c *Caller) hideValues(run *record.Run, report *storage.Report) {
	if c.level(&report.Definition) >= mayManage {
		return
	}
	for _, p := range run.Placements {
		placed, _ := report.Find(p.PlacementID)
		if c.created(cmp.Or(p.RunAsUserID, placed.PlacedByUserID)) { // the latter for runs from before the former was recorded
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
		return nil, absent(err, "report")
	}
	return r, current(c).Caller.mayReadReport(r)
}

// readableRun loads the path's run if the caller may read its report. A path that goes through a report finds that report's runs only.
func (s *Server) readableRun(c *gin.Context) (*record.Run, error) {
	ctx, at := c.Request.Context(), current(c).deployment()
	run, err := s.store.Run(ctx, at, c.Param("runId"))
	if err != nil {
		return nil, absent(err, "run")
	}
	if through := c.Param("reportId"); through != "" && through != strconv.FormatInt(run.ReportID, 10) {
		return nil, notFound("run")
	}
	report, err := s.store.Report(ctx, at, run.ReportID)
	if err != nil {
		return nil, absent(err, "run")
	}
	if err := demand(current(c).Caller.level(&report.Definition), mayRead, "run"); err != nil {
		return nil, err
	}
	current(c).Caller.hideValues(run, report)
	return run, nil
}
