package web

import (
	"cmp"
	"encoding/base64"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"mooring/placements"
	"mooring/refresh"
	"mooring/storage"
	"mooring/storage/queue"
	"mooring/storage/record"
	"mooring/web/auth"
	"mooring/web/bind"
	"mooring/web/members"
	"mooring/web/overview"
)

// runOptions are the keys that say how a run treats the cells it finds (decisions.md §7): all that a run of a document takes.
type runOptions struct {
	mayBeMissing
	placements.Options
}

func (b *runOptions) members(o *bind.Object) { members.Options(o, &b.Options) }

// runInput is the body of a run of a report.
type runInput struct {
	runOptions
	record.RunTarget
	executor record.Executor
}

// rules refuses a run by an add-in that is not of one placement.
func (b *runInput) rules(_ *Server, _ *gin.Context, f *bind.Faults) error {
	if b.executor == record.ExecutorClient && b.PlacementID == "" {
		f.Join(placements.Detail{
			Pointer: "/placementId", Code: placements.CodeInvalid, Message: "is required for a run by a client: send it",
		})
	}
	return nil
}

// executors are what a request may say of who is to work on its run.
var executors = []record.Executor{record.ExecutorAgent, record.ExecutorClient}

func (b *runInput) members(o *bind.Object) {
	bind.Choice(o, "executor", &b.executor, executors)
	bind.Text(o, "placementId", &b.PlacementID, members.MaxText)
	bind.Text(o, "externalWorkbookId", &b.ExternalWorkbookID, members.MaxText)
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
	if req.Executor == record.ExecutorClient {
		return s.startClientRun(c, report, req)
	}
	run, err := s.engine.Start(c.Request.Context(), current(c).deployment(), req)
	if err != nil {
		return err
	}
	return answerStarted(c, run)
}

// answerStarted answers with a run that an agent works on.
func answerStarted(c *gin.Context, run *record.Run) error {
	c.Header("Location", c.Request.URL.Path+"/"+run.ID)
	c.JSON(http.StatusAccepted, gin.H{"runId": run.ID})
	return nil
}

// answerMadeRun answers as startRun did that made the run.
func answerMadeRun(s *Server, c *gin.Context, run *record.Run) error {
	if run.Executor != record.ExecutorClient {
		return answerStarted(c, run)
	}
	lease, err := s.engine.LeaseOf(c.Request.Context(), current(c).deployment(), run)
	if err != nil {
		return err
	}
	return answerLease(c, lease)
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
	aimed, err := s.aim(c, in.RunTarget)
	if err != nil {
		return nil, refresh.Request{}, err
	}
	req := in.request(c, aimed)
	if in.executor == record.ExecutorClient {
		req.Executor = in.executor
	}
	if err := oneTarget(req.Target); err != nil {
		return nil, req, err
	}
	others := req.Target.NamesPartOthers(report.Places(), req.By.ID)
	return report, req, mayOverwrite(current(c).Caller, req, &report.Definition, others)
}

// aim returns a target that addresses its spreadsheet under every id of that.
func (s *Server) aim(c *gin.Context, t record.RunTarget) (record.RunTarget, error) {
	return s.store.Sites().Aim(c.Request.Context(), current(c).deployment().Tenant, t)
}

// request asks for a run of a target with these options.
func (b *runOptions) request(c *gin.Context, of record.RunTarget) refresh.Request {
	return refresh.Request{Target: of, Options: b.Over(placements.Options{}), By: current(c).Caller.Actor}
}

// mayOverwrite refuses a run that would overwrite what people typed into the block of another person's placement, or into one that still has
// rows of another person, or remove the signature of its workbook, unless the caller may edit the report of that definition. others says that
// the run names such a placement.
func mayOverwrite(caller *auth.Caller, req refresh.Request, d *record.Definition, others bool) error {
	if !req.Destroys() || !others || caller.OnReport(d.CreatedBy, d.RolesWithAccess) >= mayEdit {
		return nil
	}
	return placements.Errorf(placements.CodeForbidden,
		`Another person placed report %d there, or it has rows of theirs still: onEdit "overwrite" and breakSignature need edit access to the report; `+
			`send "keep" or "stop" and no breakSignature, or name a placement of your own.`, req.Target.ReportID)
}

// oneTarget refuses a target that is named twice.
func oneTarget(t record.RunTarget) error {
	if t.PlacementID != "" && t.ExternalWorkbookID != "" {
		return placements.Errorf(placements.CodeInvalid, "Send placementId or externalWorkbookId, not both.")
	}
	return nil
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
	runs, err := s.store.Queue().Runs.OfReport(c.Request.Context(), current(c).deployment(), report.ID)
	if err != nil {
		return err
	}
	for _, run := range runs {
		overview.HideValues(current(c).Caller, run, report)
	}
	return answerRuns(c, runs)
}

// stopRun asks a run to stop. One that has ended stays as it is.
func (s *Server) stopRun(c *gin.Context) error {
	run, onReport, err := s.runFor(c)
	if err != nil {
		return err
	}
	if err := mayStop(current(c).Caller, run, onReport); err != nil {
		return err
	}
	return s.stop(c, run)
}

// stop asks a run to stop that was read as run. One that has ended since is answered as it ended.
func (s *Server) stop(c *gin.Context, run *record.Run) error {
	err := s.engine.Stop(c.Request.Context(), current(c).deployment(), run)
	if errors.Is(err, queue.ErrEnded) {
		if run, err = s.readableRun(c); err != nil {
			return err
		}
		c.JSON(http.StatusOK, run)
		return nil
	}
	if err != nil {
		return err
	}
	c.JSON(http.StatusAccepted, run)
	return nil
}

// mayStop refuses to stop a run that another person asked for, unless the caller may edit its report: it would keep their cells from being
// true.
func mayStop(caller *auth.Caller, run *record.Run, onReport level) error {
	if caller.MayStop(run, onReport) {
		return nil
	}
	return placements.Errorf(placements.CodeForbidden,
		"Another person asked for run %s, or owns its schedule: stopping it needs edit access to report %d; ask them, or ask for that.",
		run.ID, run.ReportID)
}

// readableRun loads the path's run if the caller may read its report.
func (s *Server) readableRun(c *gin.Context) (*record.Run, error) {
	run, _, err := s.runFor(c)
	return run, err
}

// runFor is readableRun with the caller's level on the report.
func (s *Server) runFor(c *gin.Context) (run *record.Run, onReport level, err error) {
	run, report, err := s.pathRun(c)
	if err != nil {
		return nil, mayNothing, err
	}
	onReport = levelOn(current(c).Caller, &report.Definition)
	if err := demand(onReport, mayRead, "run"); err != nil {
		return nil, mayNothing, err
	}
	overview.HideValues(current(c).Caller, run, report)
	return run, onReport, nil
}

// pathRun loads the path's run and its report. A path that goes through a report finds that report's runs only.
func (s *Server) pathRun(c *gin.Context) (*record.Run, *storage.Report, error) {
	ctx, at := c.Request.Context(), current(c).deployment()
	run, err := s.store.Queue().Runs.Get(ctx, at, c.Param("runId"))
	if err != nil {
		return nil, nil, absent(err, "run")
	}
	if through := c.Param("reportId"); through != "" && through != strconv.FormatInt(run.ReportID, 10) {
		return nil, nil, notFound("run")
	}
	report, err := s.store.Reports().Get(ctx, at, run.ReportID)
	return run, report, absent(err, "run")
}

// answerRuns answers with a page of a history, the latest fire time first. The cursor is the place of the last run shown, so that new runs
// shift no page.
func answerRuns(c *gin.Context, runs []*record.Run) error {
	first, err := pageSize(c)
	if err != nil {
		return err
	}
	after, err := runCursor(c.Query("after"))
	if err != nil {
		return err
	}
	slices.SortFunc(runs, func(a, b *record.Run) int { return strings.Compare(placeOf(b), placeOf(a)) })
	runs = slices.DeleteFunc(runs, func(run *record.Run) bool { return after != "" && placeOf(run) >= after })
	page := runs[:min(first, len(runs))]
	info := pageInfo{HasNextPage: len(page) < len(runs)}
	if len(page) > 0 {
		end := base64.RawURLEncoding.EncodeToString([]byte(placeOf(page[len(page)-1])))
		info.EndCursor = &end
	}
	c.JSON(http.StatusOK, gin.H{"items": page, "pageInfo": info})
	return nil
}

// placeOf is where a run stands in a history: fire times are texts of one length.
func placeOf(run *record.Run) string { return run.FireTime + " " + run.ID }

// runCursor reads a cursor of answerRuns; empty: from the start.
func runCursor(sent string) (place string, err error) {
	text, err := base64.RawURLEncoding.DecodeString(sent)
	if at, _, ok := strings.Cut(string(text), " "); err == nil && ok {
		_, err = time.Parse(time.RFC3339, at)
	} else if sent != "" {
		err = cmp.Or(err, errors.New("no place of a run"))
	}
	if err != nil {
		return "", placements.Errorf(placements.CodeCursor,
			"after is not a cursor of this list: send the endCursor of the page before.").Because(err)
	}
	return string(text), nil
}

// startClientRun answers with the hold on a run of one placement that the caller's add-in works on (decisions.md §7d).
func (s *Server) startClientRun(c *gin.Context, report *storage.Report, req refresh.Request) error {
	placed, _ := report.Find(req.Target.PlacementID)
	lease, err := s.engine.StartClient(c.Request.Context(), current(c).deployment(), req, placed.Placement)
	if err != nil {
		return err
	}
	return answerLease(c, lease)
}

// answerLease answers with the hold on a run that has begun.
func answerLease(c *gin.Context, lease refresh.Lease) error {
	c.Header("Location", c.Request.URL.Path+"/"+lease.RunID)
	c.JSON(http.StatusAccepted, gin.H{"runId": lease.RunID, "fence": lease.Fence, "leaseUntil": placements.Time(lease.Until)})
	return nil
}
