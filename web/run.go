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
	if err := checkTarget(report, req.Target); err != nil {
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

// checkTarget refuses a target that addresses nothing.
func checkTarget(r *storage.Report, t storage.RunTarget) error {
	if t.PlacementID != "" && t.ExternalWorkbookID != "" {
		return refuse(codeInvalid, "Send placementId or externalWorkbookId, not both.")
	}
	if t.PlacementID == "" {
		return nil
	}
	if _, ok := r.Find(t.PlacementID); !ok {
		return notFound("placement")
	}
	return nil
}

// startDocumentRuns asks for a refresh of everything in a spreadsheet that the caller may read.
func (s *Server) startDocumentRuns(c *gin.Context) error {
	body, err := s.decodeOptional(c, documentRunShape)
	if err != nil {
		return err
	}
	r, document := current(c), c.Param("externalWorkbookId")
	reports, err := s.reportsIn(c, document)
	if err != nil {
		return err
	}
	runs := []gin.H{}
	for _, d := range reports {
		req := requestOf(c, body, d.report)
		req.Target.ExternalWorkbookID = document
		run, err := s.engine.Start(c.Request.Context(), storage.Deployment{Tenant: r.Caller.Tenant, ID: d.deployment}, req)
		var busy *storage.Conflict
		if err != nil && !errors.As(err, &busy) {
			return err
		}
		started := gin.H{"deploymentId": d.deployment, "reportId": d.report}
		if busy != nil {
			started["code"], started["message"] = busy.Code, busy.Message
		} else {
			started["runId"] = run.ID
		}
		runs = append(runs, started)
	}
	c.JSON(http.StatusAccepted, gin.H{"runs": runs})
	return nil
}

// placedReport names a report with a placement in a spreadsheet.
type placedReport struct{ deployment, report int64 }

// reportsIn lists the reports with a placement in a spreadsheet that the caller may read.
func (s *Server) reportsIn(c *gin.Context, document string) ([]placedReport, error) {
	caller := current(c).Caller
	var list []placedReport
	seen := map[placedReport]bool{}
	for after := ""; ; {
		p, err := s.store.DocumentPlacements(c.Request.Context(), caller.Tenant, document, after, maxPage)
		if err != nil {
			return nil, err
		}
		for _, d := range p.Items {
			one := placedReport{d.DeploymentID, d.ReportID}
			readable := caller.inDeployment(d.DeploymentID) && caller.onReport(d.Definition.CreatedBy, d.Definition.RolesWithAccess) >= mayRead
			if readable && !seen[one] {
				seen[one] = true
				list = append(list, one)
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
	return answerRuns(c, runs)
}

// answerRuns answers with a page of a history, the latest run first. The cursor is the number of runs passed.
func answerRuns(c *gin.Context, runs []*storage.Run) error {
	first, err := pageSize(c)
	if err != nil {
		return err
	}
	after := 0
	if cursor := c.Query("after"); cursor != "" {
		if after, err = strconv.Atoi(cursor); err != nil || after < 0 {
			return refuse(codeInvalid, "after is not a cursor of this list.")
		}
	}
	runs = runs[min(after, len(runs)):]
	page := runs[:min(first, len(runs))]
	info := pageInfo{HasNextPage: len(page) < len(runs)}
	if len(page) > 0 {
		end := strconv.Itoa(after + len(page))
		info.EndCursor = &end
	}
	c.JSON(http.StatusOK, gin.H{"items": page, "pageInfo": info})
	return nil
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
	return run, current(c).Caller.mayReadReport(report)
}
