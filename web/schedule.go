package web

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/gin-gonic/gin"

	"mooring/placements"
	"mooring/refresh"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/web/overview"
)

// createSchedule makes a schedule for a report that the caller may edit, or for placements of their own.
func (s *Server) createSchedule(c *gin.Context) error {
	spec, err := s.newSchedule(c)
	if err != nil {
		return err
	}
	r := current(c)
	made, err := s.engine.CreateSchedule(c.Request.Context(), r.deployment(), spec, r.Caller.Actor)
	if err != nil {
		return absent(err, "report")
	}
	return s.answerWritten(c, made)
}

// answerMadeSchedule answers as createSchedule did that made the schedule, with what it is now.
func answerMadeSchedule(s *Server, c *gin.Context, id int64) error {
	made, err := s.scheduleOf(c, id, mayRead)
	if err != nil {
		return err
	}
	made.Effect = record.Created
	return s.answerWritten(c, made)
}

// getSchedule answers with a schedule, its next fires and its last run.
func (s *Server) getSchedule(c *gin.Context) error {
	found, err := s.schedule(c, mayRead)
	if err != nil {
		return err
	}
	return s.answerSchedule(c, found)
}

// updateSchedule changes the keys sent.
func (s *Server) updateSchedule(c *gin.Context) error {
	var in scheduleInput
	if err := s.read(c, &in); err != nil {
		return err
	}
	return s.changeSchedule(c, func(found *record.Schedule) error { return s.rewrite(c, found, &in) })
}

// rewrite changes a stored schedule as the body says, if the caller may.
func (s *Server) rewrite(c *gin.Context, found *record.Schedule, in *scheduleInput) error {
	if err := expectVersion(in.expected, found.Version); err != nil {
		return err
	}
	before := found.Target
	in.apply(&found.ScheduleSpec)
	if found.Target.ReportID != before.ReportID {
		if err := s.hold(c, found.Target.ReportID); err != nil {
			return err
		}
	}
	if found.Target != before {
		return s.mayAim(c, found.Target)
	}
	_, err := s.maySchedule(c, found.Target)
	return err
}

// pauseSchedule and resumeSchedule do what a PUT of paused does. Ticks that are missed meanwhile are not caught up.
func (s *Server) pauseSchedule(c *gin.Context) error {
	return s.changeSchedule(c, func(found *record.Schedule) error {
		found.Paused = true
		return nil
	})
}

func (s *Server) resumeSchedule(c *gin.Context) error {
	return s.changeSchedule(c, func(found *record.Schedule) error {
		found.Paused = false
		_, err := s.maySchedule(c, found.Target)
		return err
	})
}

func (s *Server) changeSchedule(c *gin.Context, change func(*record.Schedule) error) error {
	found, err := s.schedule(c, mayEdit)
	if err != nil {
		return err
	}
	r := current(c)
	matched := func(now *record.Schedule) error {
		if err := ifMatch(c, scheduleEdition(now)); err != nil {
			return err
		}
		return change(now)
	}
	changed, err := s.engine.UpdateSchedule(c.Request.Context(), r.deployment(), found.ID, r.Caller.Actor, matched)
	if err != nil {
		return absent(err, "schedule")
	}
	return s.answerWritten(c, changed)
}

// deleteSchedule removes a schedule. Its runs stay in the histories.
func (s *Server) deleteSchedule(c *gin.Context) error {
	found, err := s.schedule(c, mayEdit)
	if err != nil {
		return err
	}
	who := current(c).Caller.Actor
	err = s.store.Schedules().Delete(c.Request.Context(), current(c).deployment(), found.ID, who, func(now *record.Schedule) error {
		return ifMatch(c, scheduleEdition(now))
	})
	if err != nil {
		return absent(err, "schedule")
	}
	answerDeleted(c, found.ID)
	return nil
}

// runSchedule makes a run of the schedule now.
func (s *Server) runSchedule(c *gin.Context) error {
	found, err := s.aimed(c, mayRead)
	if err != nil {
		return err
	}
	r := current(c)
	run, err := s.engine.RunSchedule(c.Request.Context(), r.deployment(), found, r.Caller.Actor)
	if err != nil {
		return absent(err, "report")
	}
	return answerScheduleRun(c, run)
}

// shownFires is how many of a schedule's next fires are shown.
const shownFires = 5

// encodeSchedule returns the wire form of a schedule, whose report is among reports.
func (s *Server) encodeSchedule(c *gin.Context, found *record.Schedule, reports *targetReports) ([]byte, error) {
	report, err := reports.of(found)
	if err != nil {
		return nil, err
	}
	fires := []string{}
	for _, at := range refresh.NextFires(found, time.Now(), shownFires) {
		fires = append(fires, placements.Time(at))
	}
	last := json.RawMessage("null")
	if found.LastRunID != "" {
		run, err := s.store.Queue().Runs.Get(c.Request.Context(), current(c).deployment(), found.LastRunID)
		if err != nil && !errors.Is(err, storage.ErrNotFound) {
			return nil, err
		}
		if run != nil {
			if err := s.hideValuesOf(c, []*record.Run{run}); err != nil {
				return nil, err
			}
			if last, err = encode(run); err != nil {
				return nil, err
			}
		}
	}
	return encode(struct {
		*record.Schedule
		Owner     int64           `json:"owner"`
		Target    scheduleTarget  `json:"target"`
		NextFires []string        `json:"nextFires"`
		LastRun   json.RawMessage `json:"lastRun"`
	}{found, found.Owner.ID, showTarget(found.Target, report), fires, last})
}

func (s *Server) answerSchedule(c *gin.Context, found *record.Schedule) error {
	body, err := s.encodeSchedule(c, found, s.targetReports(c))
	if err != nil {
		return err
	}
	sayEffect(c, found.Effect)
	return answerTagged(c, scheduleEdition(found), body)
}

// answerWritten is answerSchedule for one that was written, with what its writer is warned of.
func (s *Server) answerWritten(c *gin.Context, written *record.Schedule) error {
	reports := s.targetReports(c)
	warnings, err := s.twinWarnings(c, written, reports)
	if err != nil {
		return err
	}
	report, err := reports.of(written)
	if err != nil {
		return err
	}
	if report != nil && mayReadReport(current(c).Caller, report) == nil {
		aimed, err := s.aim(c, written.Target)
		if err != nil {
			return err
		}
		warnings = append(warnings, s.reachWarnings(current(c).deployment().Tenant, aimed, report)...)
	}
	body, err := s.encodeSchedule(c, written, reports)
	if err != nil {
		return err
	}
	sayEffect(c, written.Effect)
	c.Header("ETag", scheduleEdition(written).tag(body)) // which a reader gets, who is not warned
	if len(warnings) > 0 {
		list, err := encode(warnings)
		if err != nil {
			return err
		}
		body = slices.Concat(body[:len(body)-1], []byte(`,"warnings":`), list, []byte("}"))
	}
	answerJSON(c, body)
	return nil
}

// scheduleWarning is what the writer of a schedule is warned of.
type scheduleWarning struct {
	Code               string `json:"code"`
	Message            string `json:"message"`
	ExternalWorkbookID string `json:"externalWorkbookId,omitempty"`
}

// The codes of warnings.
const (
	warnNotReached = "document_not_reached"
	warnTwin       = "schedule_twin"
)

// reachWarnings warns of the spreadsheets of a schedule that no agent reaches, each once, by id.
func (s *Server) reachWarnings(tenant string, target record.RunTarget, report *storage.Report) (warnings []scheduleWarning) {
	lost := map[string]placements.Placement{} // by the id by which the spreadsheet is known
	for _, p := range report.Placements {
		if target.Has(p.Placement) && !s.engine.Reached(tenant, p.Placement) {
			lost[p.Home()] = p.Placement
		}
	}
	for _, home := range slices.Sorted(maps.Keys(lost)) {
		if n := len(lost) - shownDocuments; len(warnings) == shownDocuments {
			return append(warnings, scheduleWarning{
				Code: warnNotReached, Message: fmt.Sprintf("No agent reaches %d more spreadsheets either, so that ticks leave them out.", n),
			})
		}
		warnings = append(warnings, notReached(lost[home], s.engine.Remedy(tenant, lost[home])))
	}
	return warnings
}

// notReached warns of the spreadsheet of a placement, and says what to do.
func notReached(p placements.Placement, do string) scheduleWarning {
	return scheduleWarning{
		Code: warnNotReached, ExternalWorkbookID: p.WorkbookID,
		Message: fmt.Sprintf("No agent reaches the spreadsheet %.80q, so that ticks leave it out: refresh the report by the add-in while it is open, or %s.",
			cmp.Or(p.WorkbookName, p.WorkbookID), do),
	}
}

// shownDocuments is of how many spreadsheets a writer is warned by name.
const shownDocuments = 10

// twinWarnings warns of the twins of a schedule that was written: the schedules, as far as the caller may read them, that refresh the same at
// the same times.
func (s *Server) twinWarnings(c *gin.Context, written *record.Schedule, reports *targetReports) (warnings []scheduleWarning, err error) {
	readable := s.readableSchedules(c, reports)
	twin := func(one *record.Schedule) (bool, error) {
		if one.ID == written.ID || !one.SameTimes(&written.ScheduleSpec) {
			return false, nil
		}
		if same, err := s.sameTarget(c, one, written, reports); err != nil || !same {
			return false, err
		}
		return readable(one)
	}
	q := record.ListQuery{First: shownTwins, Schedules: record.ScheduleFilter{Report: written.Target.ReportID}}
	found, err := s.store.Schedules().List(c.Request.Context(), current(c).deployment(), q, twin)
	if err != nil {
		return nil, err
	}
	for _, one := range found.Items {
		message := fmt.Sprintf("Schedule %d, %.80q, refreshes the same at the same times, so that each refresh runs twice: "+
			"delete one of them, or change its cron or target.", one.ID, one.Name)
		warnings = append(warnings, scheduleWarning{Code: warnTwin, Message: message})
	}
	return warnings, nil
}

// sameTarget reports whether two schedules of a report refresh the same.
func (s *Server) sameTarget(c *gin.Context, one, other *record.Schedule, reports *targetReports) (bool, error) {
	if one.Target == other.Target {
		return true, nil
	}
	report, err := reports.of(other)
	if err != nil || report == nil {
		return false, err
	}
	a, err := s.aim(c, one.Target)
	if err != nil {
		return false, err
	}
	b, err := s.aim(c, other.Target)
	return a.Same(b, report.Places()), err
}

// shownTwins is how many twins of a schedule its writer is told of.
const shownTwins = 3

// listSchedules answers with the schedules that the caller may read, by id.
func (s *Server) listSchedules(c *gin.Context) error {
	first, err := pageSize(c)
	if err != nil {
		return err
	}
	q := record.ListQuery{First: first, After: c.Query("after")}
	if q.Schedules, err = scheduleFilter(c); err != nil {
		return err
	}
	reports := s.targetReports(c)
	p, err := s.store.Schedules().List(c.Request.Context(), current(c).deployment(), q, s.readableSchedules(c, reports))
	if err != nil {
		return err
	}
	return answerPage(c, p, func(one *record.Schedule) ([]byte, error) { return s.encodeSchedule(c, one, reports) })
}

// readableSchedules reports of schedules whether the caller may read them, asking once for each report and maker. One whose report cannot
// be read is logged and left out.
func (s *Server) readableSchedules(c *gin.Context, reports *targetReports) func(*record.Schedule) (bool, error) {
	type asked struct{ report, maker int64 }
	known := map[asked]bool{}
	return func(one *record.Schedule) (bool, error) {
		key := asked{one.Target.ReportID, one.CreatedBy}
		if readable, ok := known[key]; ok {
			return readable, nil
		}
		have, err := reports.level(one)
		if err != nil && asError(err).Code == placements.CodeInternal {
			r := current(c)
			s.log.Error("report of a schedule cannot be read", "request", r.ID, "tenant", r.Caller.Tenant, "schedule", one.ID, "error", err)
			have, err = mayNothing, nil
		}
		known[key] = have >= mayRead
		return known[key], err
	}
}

// listScheduleRuns answers with the latest runs of a schedule, those of a deleted one too.
func (s *Server) listScheduleRuns(c *gin.Context) error {
	id, err := pathID(c, "scheduleId", "schedule")
	if err != nil {
		return err
	}
	runs, err := s.store.Queue().Runs.OfSchedule(c.Request.Context(), current(c).deployment(), id)
	if err != nil {
		return err
	}
	readable := s.readableSchedules(c, s.targetReports(c))
	mine := runs[:0]
	for _, run := range runs {
		made := &record.Schedule{ScheduleSpec: record.ScheduleSpec{Target: run.Target()}, CreatedBy: run.RequestedBy.ID}
		ok, err := readable(made)
		if err != nil {
			return err
		}
		if ok {
			mine = append(mine, run)
		}
	}
	if len(mine) == 0 {
		if _, err := s.schedule(c, mayRead); err != nil {
			return err
		}
	}
	if err := s.hideValuesOf(c, mine); err != nil {
		return err
	}
	return answerRuns(c, mine)
}

// hideValuesOf is Caller.hideValues for runs of several reports; of one that was deleted who may manage all reports sees values.
func (s *Server) hideValuesOf(c *gin.Context, runs []*record.Run) error {
	reports := map[int64]*storage.Report{}
	for _, run := range runs {
		if !slices.ContainsFunc(run.Placements, func(p record.RunPlacement) bool { return p.Overwritten != nil }) {
			continue
		}
		report := reports[run.ReportID]
		if report == nil {
			var err error
			report, err = s.store.Reports().Get(c.Request.Context(), current(c).deployment(), run.ReportID)
			if errors.Is(err, storage.ErrNotFound) {
				report, err = &storage.Report{}, nil
			}
			if err != nil {
				return err
			}
			reports[run.ReportID] = report
		}
		overview.HideValues(current(c).Caller, run, report)
	}
	return nil
}
