package web

import (
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"mooring/placements"
	"mooring/refresh"
	"mooring/storage"
	"mooring/storage/record"
)

// createSchedule makes a schedule for a report that the caller may edit, or for placements of their own.
func (s *Server) createSchedule(c *gin.Context) error {
	spec, err := s.newSchedule(c)
	if err != nil {
		return err
	}
	r := current(c)
	made, err := s.engine.CreateSchedule(c.Request.Context(), r.deployment(), spec, r.Caller.actor())
	if err != nil {
		return absent(err, "report")
	}
	return s.answerSchedule(c, made)
}

// newSchedule reads the body of a creation, which the caller may ask for.
func (s *Server) newSchedule(c *gin.Context) (spec record.ScheduleSpec, err error) {
	var in scheduleInput
	if err := s.read(c, &in); err != nil {
		return spec, err
	}
	in.apply(&spec)
	if err := s.hold(c, spec.Target.ReportID); err != nil {
		return spec, err
	}
	return spec, s.mayAim(c, spec.Target)
}

// mayAim is maySchedule for a target that is new: its placement must be there.
func (s *Server) mayAim(c *gin.Context, t record.RunTarget) error {
	if t.ReportID == 0 {
		return nil // the engine says what is missing, with everything else
	}
	report, err := s.maySchedule(c, t)
	if err != nil {
		return err
	}
	if err := oneTarget(t); err != nil || t.PlacementID == "" {
		return err
	}
	if _, ok := report.Find(t.PlacementID); !ok {
		return notFound("placement")
	}
	return nil
}

// maySchedule is the access check of what makes a schedule refresh a target: edit access to its report, or read access when it names only
// placements of the caller (decisions.md §3).
func (s *Server) maySchedule(c *gin.Context, t record.RunTarget) (*storage.Report, error) {
	caller := current(c).Caller
	report, err := s.store.Report(c.Request.Context(), current(c).deployment(), t.ReportID)
	if err != nil {
		return nil, absent(err, "report")
	}
	if err := caller.mayReadReport(report); err != nil {
		return nil, err
	}
	if caller.level(&report.Definition) < mayEdit && t.NamesOthers(report.Places(), caller.UserID) {
		return nil, placements.Errorf(placements.CodeForbidden,
			"Another person placed report %d there: a schedule for that needs edit access to the report; "+
				"name a placement of your own as placementId.", report.ID)
	}
	return report, nil
}

// aimed loads the path's schedule for a caller with that level on it, who may have its target refreshed.
func (s *Server) aimed(c *gin.Context, want level) (*record.Schedule, error) {
	found, err := s.schedule(c, want)
	if err != nil {
		return nil, err
	}
	_, err = s.maySchedule(c, found.Target)
	return found, err
}

// schedule loads the path's schedule and the caller's level on it: that on its report, and everything for who made it. One whose report is
// gone can still be seen and deleted by who made it.
func (s *Server) schedule(c *gin.Context, want level) (*record.Schedule, error) {
	id, err := pathID(c, "scheduleId", "schedule")
	if err != nil {
		return nil, err
	}
	found, err := s.store.Schedule(c.Request.Context(), current(c).deployment(), id)
	if err != nil {
		return nil, absent(err, "schedule")
	}
	have, err := s.onSchedule(c, found)
	if err != nil {
		return nil, err
	}
	return found, demand(have, want, "schedule")
}

func (s *Server) onSchedule(c *gin.Context, found *record.Schedule) (level, error) {
	r := current(c)
	report, err := s.store.Report(c.Request.Context(), r.deployment(), found.Target.ReportID)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		if r.Caller.created(found.CreatedBy) || r.Caller.isAdmin() {
			return mayManage, nil
		}
		return mayNothing, nil
	case err != nil:
		return mayNothing, err
	}
	have := r.Caller.level(&report.Definition)
	if have >= mayRead && r.Caller.created(found.CreatedBy) {
		have = mayManage
	}
	return have, nil
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
	return s.changeSchedule(c, func(found *record.Schedule) error {
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
	})
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
	changed, err := s.engine.UpdateSchedule(c.Request.Context(), r.deployment(), found.ID, r.Caller.actor(), func(now *record.Schedule) error {
		if err := ifMatch(c, now.Version); err != nil {
			return err
		}
		return change(now)
	})
	if err != nil {
		return absent(err, "schedule")
	}
	return s.answerSchedule(c, changed)
}

// deleteSchedule removes a schedule. Its runs stay in the histories.
func (s *Server) deleteSchedule(c *gin.Context) error {
	found, err := s.schedule(c, mayEdit)
	if err != nil {
		return err
	}
	err = s.store.DeleteSchedule(c.Request.Context(), current(c).deployment(), found.ID, current(c).Caller.user(), func(now *record.Schedule) error {
		return ifMatch(c, now.Version)
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
	run, err := s.engine.RunSchedule(c.Request.Context(), r.deployment(), found, r.Caller.actor())
	if err != nil {
		return absent(err, "report")
	}
	c.JSON(http.StatusAccepted, gin.H{"runId": run.ID, "reportId": run.ReportID})
	return nil
}

// shownFires is how many of a schedule's next fires are shown.
const shownFires = 5

// encodeSchedule returns the wire form of a schedule.
func (s *Server) encodeSchedule(c *gin.Context, found *record.Schedule) ([]byte, error) {
	fires := []string{}
	for _, at := range refresh.NextFires(found, time.Now(), shownFires) {
		fires = append(fires, placements.Time(at))
	}
	last := json.RawMessage("null")
	if found.LastRunID != "" {
		run, err := s.store.Run(c.Request.Context(), current(c).deployment(), found.LastRunID)
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
		NextFires []string        `json:"nextFires"`
		LastRun   json.RawMessage `json:"lastRun"`
	}{found, fires, last})
}

func (s *Server) answerSchedule(c *gin.Context, found *record.Schedule) error {
	body, err := s.encodeSchedule(c, found)
	if err != nil {
		return err
	}
	sayEffect(c, found.Effect)
	return answerTagged(c, found.Version, body)
}
