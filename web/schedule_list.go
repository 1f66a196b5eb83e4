package web

import (
	"errors"
	"slices"

	"github.com/gin-gonic/gin"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
)

// listSchedules answers with the schedules that the caller may read, by id; reportId narrows the list to one report's.
func (s *Server) listSchedules(c *gin.Context) error {
	first, err := pageSize(c)
	if err != nil {
		return err
	}
	report, err := queryID(c, "reportId")
	if err != nil {
		return err
	}
	readable := s.readableSchedules(c)
	q := storage.ListQuery{First: first, After: c.Query("after")}
	p, err := s.store.Schedules(c.Request.Context(), current(c).deployment(), q, func(one *record.Schedule) (bool, error) {
		if report != nil && one.Target.ReportID != *report {
			return false, nil
		}
		return readable(one)
	})
	if err != nil {
		return err
	}
	return answerPage(c, p, func(one *record.Schedule) ([]byte, error) { return s.encodeSchedule(c, one) })
}

// readableSchedules reports of schedules whether the caller may read them, asking once for each report and maker. One whose report cannot
// be read is logged and left out.
func (s *Server) readableSchedules(c *gin.Context) func(*record.Schedule) (bool, error) {
	type asked struct{ report, maker int64 }
	known := map[asked]bool{}
	return func(one *record.Schedule) (bool, error) {
		key := asked{one.Target.ReportID, one.CreatedBy}
		if readable, ok := known[key]; ok {
			return readable, nil
		}
		have, err := s.onSchedule(c, one)
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
	runs, err := s.store.ScheduleRuns(c.Request.Context(), current(c).deployment(), id)
	if err != nil {
		return err
	}
	readable := s.readableSchedules(c)
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
			report, err = s.store.Report(c.Request.Context(), current(c).deployment(), run.ReportID)
			if errors.Is(err, storage.ErrNotFound) {
				report, err = &storage.Report{}, nil
			}
			if err != nil {
				return err
			}
			reports[run.ReportID] = report
		}
		current(c).Caller.hideValues(run, report)
	}
	return nil
}
