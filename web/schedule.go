package web

import (
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"mooring/placements"
	"mooring/refresh"
	"mooring/storage"
)

// scheduleShape is the body of a schedule's creation and update (decisions.md §7).
var scheduleShape = object(append([]member{
	{name: "name", shape: text(maxName)},
	{name: "target", shape: object(append(texts("placementId", "externalWorkbookId"), member{name: "reportId", shape: integer(1), required: true})...)},
	{name: "cron", shape: cronShape},
	{name: "timezone", shape: text(maxName)},
	{name: "catchUp", shape: oneOf(refresh.CatchUpLatest, refresh.CatchUpSkip, refresh.CatchUpAll)},
	{name: "overlap", shape: oneOf(refresh.OverlapSkip, refresh.OverlapQueue)},
	{name: "jitterSeconds", shape: integer(math.MinInt64)},
	{name: "paused", shape: boolean},
	{name: "expectedVersion", shape: integer(1)},
}, append(runOptions, ignored("id", "deploymentId", "pausedReason", "createdAt", "updatedAt", "createdBy", "version", "nextFires", "lastRun")...)...)...)

// cronShape takes one expression or a list of them.
func cronShape(k *check, v any) {
	if _, one := v.(string); one {
		text(maxName)(k, v)
		return
	}
	list(text(maxName), refresh.MaxCronSpecs)(k, v)
}

// applySchedule gives spec the keys sent; null gives the default. A value of the wrong type counts as its zero value.
func (v values) applySchedule(spec *storage.ScheduleSpec) {
	setSent(&spec.Name, v.text("name"))
	setSent(&spec.Timezone, v.text("timezone"))
	setSent(&spec.CatchUp, v.text("catchUp"))
	setSent(&spec.Overlap, v.text("overlap"))
	setSent(&spec.OnEdit, v.text("onEdit"))
	setSent(&spec.ShiftRows, v.boolean("shiftRows"))
	setSent(&spec.Paused, v.boolean("paused"))
	if jitter := v.integer("jitterSeconds"); jitter.Sent {
		spec.JitterSeconds = int(max(-1, min(jitter.OrZero(), math.MaxInt32)))
	}
	setSent(&spec.Target, v.target())
	setSent(&spec.Cron, said(v, "cron", func(sent any) []string {
		if one, ok := sent.(string); ok {
			return []string{one}
		}
		return v.texts("cron")
	}))
}

// target returns what v says about the target of a schedule.
func (v values) target() storage.Optional[storage.RunTarget] {
	return said(v, "target", func(sent any) storage.RunTarget {
		object, _ := sent.(map[string]any)
		t := values(object)
		return storage.RunTarget{
			ReportID: t.integer("reportId").OrZero(), PlacementID: t.plain("placementId"), ExternalWorkbookID: t.plain("externalWorkbookId"),
		}
	})
}

func setSent[T any](target *T, sent storage.Optional[T]) {
	if sent.Sent {
		*target = sent.OrZero()
	}
}

// createSchedule makes a schedule for a report that the caller may read.
func (s *Server) createSchedule(c *gin.Context) error {
	body, err := s.decodeSchedule(c, true)
	if err != nil {
		return err
	}
	var spec storage.ScheduleSpec
	body.applySchedule(&spec)
	r := current(c)
	if err := s.mayAim(c, spec.Target); err != nil {
		return err
	}
	made, err := s.engine.CreateSchedule(c.Request.Context(), r.deployment(), spec, r.Caller.actor())
	if err != nil {
		return err
	}
	return s.answerSchedule(c, made)
}

// mayAim checks that the target's report may be read and has the placement.
func (s *Server) mayAim(c *gin.Context, t storage.RunTarget) error {
	if t.ReportID == 0 {
		return nil // the engine says what is missing, with everything else
	}
	report, err := s.store.Report(c.Request.Context(), current(c).deployment(), t.ReportID)
	if err != nil {
		return unreadable(err)
	}
	if err := current(c).Caller.mayReadReport(report); err != nil {
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

// schedule loads the path's schedule and the caller's level on it: that on its report, and everything for who made it. One whose report is gone can
// still be seen and deleted by who made it.
func (s *Server) schedule(c *gin.Context, want level) (*storage.Schedule, error) {
	id, err := pathID(c, "scheduleId", "schedule")
	if err != nil {
		return nil, err
	}
	found, err := s.store.Schedule(c.Request.Context(), current(c).deployment(), id)
	if errors.Is(err, storage.ErrNotFound) {
		return nil, notFound("schedule")
	}
	if err != nil {
		return nil, err
	}
	have, err := s.onSchedule(c, found)
	if err != nil {
		return nil, err
	}
	return found, demand(have, want, "schedule")
}

func (s *Server) onSchedule(c *gin.Context, found *storage.Schedule) (level, error) {
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
	have := r.Caller.level(report)
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
	body, err := s.decodeSchedule(c, false)
	if err != nil {
		return err
	}
	if target := body.target(); target.Value != nil {
		if err := s.mayAim(c, *target.Value); err != nil {
			return err
		}
	}
	return s.changeSchedule(c, func(found *storage.Schedule) error {
		if err := expectVersion(body, found.Version); err != nil {
			return err
		}
		body.applySchedule(&found.ScheduleSpec)
		return nil
	})
}

// pauseSchedule and resumeSchedule do what a PUT of paused does. Ticks that pass meanwhile are not made good.
func (s *Server) pauseSchedule(c *gin.Context) error {
	return s.changeSchedule(c, func(found *storage.Schedule) error {
		found.Paused = true
		return nil
	})
}

func (s *Server) resumeSchedule(c *gin.Context) error {
	return s.changeSchedule(c, func(found *storage.Schedule) error {
		found.Paused = false
		return nil
	})
}

func (s *Server) changeSchedule(c *gin.Context, change func(*storage.Schedule) error) error {
	found, err := s.schedule(c, mayEdit)
	if err != nil {
		return err
	}
	r := current(c)
	changed, err := s.engine.UpdateSchedule(c.Request.Context(), r.deployment(), found.ID, r.Caller.actor(), func(now *storage.Schedule) error {
		if err := ifMatch(c, now.Version); err != nil {
			return err
		}
		return change(now)
	})
	if err != nil {
		return err
	}
	return s.answerSchedule(c, changed)
}

// deleteSchedule removes a schedule. Its runs stay in the histories.
func (s *Server) deleteSchedule(c *gin.Context) error {
	found, err := s.schedule(c, mayEdit)
	if err != nil {
		return err
	}
	err = s.store.DeleteSchedule(c.Request.Context(), current(c).deployment(), found.ID, func(now *storage.Schedule) error {
		return ifMatch(c, now.Version)
	})
	if err != nil {
		return err
	}
	answerDeleted(c, found.ID)
	return nil
}

// runSchedule makes a run of the schedule now.
func (s *Server) runSchedule(c *gin.Context) error {
	found, err := s.schedule(c, mayRead)
	if err != nil {
		return err
	}
	r := current(c)
	run, err := s.engine.RunSchedule(c.Request.Context(), r.deployment(), found, r.Caller.actor())
	if err != nil {
		return unreadable(err)
	}
	c.JSON(http.StatusAccepted, gin.H{"runId": run.ID, "reportId": run.ReportID})
	return nil
}

// shownFires is how many of a schedule's next fires are shown.
const shownFires = 5

// encodeSchedule gives the wire form of a schedule.
func (s *Server) encodeSchedule(c *gin.Context, found *storage.Schedule) ([]byte, error) {
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
			if last, err = encode(run); err != nil {
				return nil, err
			}
		}
	}
	return encode(struct {
		*storage.Schedule
		NextFires []string        `json:"nextFires"`
		LastRun   json.RawMessage `json:"lastRun"`
	}{found, fires, last})
}

func (s *Server) answerSchedule(c *gin.Context, found *storage.Schedule) error {
	body, err := s.encodeSchedule(c, found)
	if err != nil {
		return err
	}
	sayEffect(c, found.Effect)
	return answerTagged(c, found.Version, body)
}
