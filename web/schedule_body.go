package web

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/web/bind"
	"mooring/web/members"
)

// scheduleInput is the body of a schedule's creation and update (decisions.md §7).
type scheduleInput struct {
	members.Schedule
	key      placements.Optional[string]
	target   placements.Optional[scheduleTarget]
	resolved record.RunTarget // of target, by the ids of this deployment
	expected placements.Optional[int64]
}

func (b *scheduleInput) members(o *bind.Object) {
	b.Schedule.Members(o)
	bind.OptionalText(o, "key", &b.key, members.MaxName, keyRule)
	bind.Optional(o, "target", &b.target, func(o *bind.Object, in *scheduleTarget) { in.members(o) })
	o.OptionalWhole("expectedVersion", &b.expected, 1)
	o.Ignored("id", "deploymentId", "pausedReason", "createdAt", "updatedAt", "createdBy", "owner", "updatedBy", "version",
		"nextFires", "lastRun", "managedBy", "warnings")
}

// rules judges the spec that the body makes; of one that changes a schedule, what is left out is right.
func (b *scheduleInput) rules(s *Server, c *gin.Context, f *bind.Faults) error {
	b.sameKey(c.Param("key"), f)
	stored, err := s.pathSchedule(c)
	if err != nil {
		return err
	}
	if b.target.Value != nil {
		shown, err := s.shownTarget(c, &stored)
		if err != nil {
			return err
		}
		resolved, wrong, err := s.resolve(c, b.target.Value.over(stored.Target, shown))
		if err != nil {
			return err
		}
		if b.resolved = resolved; len(wrong) > 0 {
			b.resolved.ReportID = 1 // no second fault for the same
		}
		f.Join(wrong...)
	}
	var spec record.ScheduleSpec
	if c.Request.Method != http.MethodPost {
		spec.Target.ReportID, spec.Cron = 1, []string{"@hourly"}
	}
	b.apply(&spec)
	f.Join(b.Faults(spec)...)
	if len(*f) > 0 && b.key.Sent { // without another fault storage says it
		f.Join(placements.DetailsOf(stored.KeepsKey(b.key.OrZero()))...)
	}
	return nil
}

// pathSchedule is the schedule that the path names by id; a zero one where it names none, or none that the caller may edit.
func (s *Server) pathSchedule(c *gin.Context) (stored record.Schedule, err error) {
	if c.Param("scheduleId") == "" {
		return stored, nil
	}
	found, err := s.schedule(c, mayEdit)
	switch placements.CodeOf(err) {
	case placements.CodeNotFound, placements.CodeForbidden:
		return stored, nil
	}
	if err != nil {
		return stored, err
	}
	return *found, nil
}

// apply sets in spec what was sent; null sets the default.
func (b *scheduleInput) apply(spec *record.ScheduleSpec) {
	b.Schedule.Apply(spec)
	if b.key.Sent {
		spec.Key = b.key.OrZero()
	}
	if b.target.Sent {
		spec.Target = b.resolved
	}
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
	if !current(c).Caller.MaySchedule() {
		return placements.Errorf(placements.CodeForbidden,
			"This device or key was made for less than ReportEdit, and makes no schedules: sign in again with that, or refresh the report yourself.")
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
// placements of the caller (decisions.md §3). What of others stands in those, no run of the schedule overwrites.
func (s *Server) maySchedule(c *gin.Context, t record.RunTarget) (*storage.Report, error) {
	caller := current(c).Caller
	report, err := s.store.Reports().Get(c.Request.Context(), current(c).deployment(), t.ReportID)
	if err != nil {
		return nil, absent(err, "report")
	}
	if err := mayReadReport(caller, report); err != nil {
		return nil, err
	}
	if t, err = s.aim(c, t); err != nil {
		return nil, err
	}
	if levelOn(caller, &report.Definition) < mayEdit && t.NamesOthers(report.Places(), caller.ID) {
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
	return s.scheduleOf(c, id, want)
}

// scheduleOf loads the schedule with that id for a caller with that level on it.
func (s *Server) scheduleOf(c *gin.Context, id int64, want level) (*record.Schedule, error) {
	found, err := s.store.Schedules().Get(c.Request.Context(), current(c).deployment(), id)
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
	return s.targetReports(c).level(found)
}

// level is the caller's on a schedule.
func (r *targetReports) level(found *record.Schedule) (level, error) {
	caller := current(r.c).Caller
	report, err := r.of(found)
	if err != nil {
		return mayNothing, err
	}
	if report == nil {
		return caller.OnLostSchedule(found.CreatedBy), nil
	}
	return caller.OnSchedule(found.CreatedBy, levelOn(caller, &report.Definition)), nil
}

// scheduleFilter reads the filters of a list of schedules. The older name of report is reportId.
func scheduleFilter(c *gin.Context) (f record.ScheduleFilter, err error) {
	for _, one := range []struct {
		name string
		into *int64
	}{{"reportId", &f.Report}, {"report", &f.Report}, {"owner", &f.Owner}} {
		id, err := queryID(c, one.name)
		if err != nil {
			return f, err
		}
		if id != nil {
			*one.into = *id
		}
	}
	switch paused := c.Query("paused"); paused {
	case "":
	case "true", "false":
		f.Paused = placements.Sent(paused == "true")
	default:
		return f, placements.Errorf(placements.CodeParameter, "paused must be true or false.")
	}
	f.Key = c.Query("key")
	return f, nil
}
