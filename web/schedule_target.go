package web

import (
	"errors"
	"fmt"

	"github.com/gin-gonic/gin"

	"mooring/placements"
	"mooring/refresh"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/record/portable"
	"mooring/web/bind"
	"mooring/web/members"
)

// scheduleTarget is what a schedule refreshes, as bodies and answers name it: by the ids of this deployment, and by names that mean the
// same in another one. Where a body has both, the ids count that differ from those of the stored schedule, as they were rewritten; else
// both name the same report, and document and address count.
type scheduleTarget struct {
	record.RunTarget
	PublicID string `json:"publicId,omitempty"`
	Document string `json:"document,omitempty"`
	Address  string `json:"address,omitempty"`
}

func (t *scheduleTarget) members(o *bind.Object) {
	bind.Whole(o, "reportId", &t.ReportID, 1)
	bind.Text(o, "placementId", &t.PlacementID, members.MaxText)
	bind.Text(o, "externalWorkbookId", &t.ExternalWorkbookID, members.MaxText)
	bind.Text(o, "publicId", &t.PublicID, members.MaxText)
	bind.Text(o, "document", &t.Document, members.MaxText)
	bind.Text(o, "address", &t.Address, members.MaxText)
}

// over returns t without the portable names that repeat what was stored beside ids that were rewritten; standing is what was stored as it is
// shown.
func (t scheduleTarget) over(stored, standing record.RunTarget) scheduleTarget {
	if stored.ReportID == 0 {
		return t
	}
	if t.ReportID != 0 && t.ReportID != stored.ReportID {
		t.PublicID = ""
	}
	placed := record.RunTarget{ReportID: stored.ReportID, PlacementID: t.PlacementID, ExternalWorkbookID: t.ExternalWorkbookID}
	if (t.PlacementID != "" || t.ExternalWorkbookID != "") && placed != stored && placed != standing {
		t.Document, t.Address = "", ""
	}
	return t
}

// resolve returns the target in the ids of this deployment, and what is wrong with its portable names.
func (s *Server) resolve(c *gin.Context, t scheduleTarget) (record.RunTarget, []placements.Detail, error) {
	fault := func(member string, code placements.Code, message string) (record.RunTarget, []placements.Detail, error) {
		return t.RunTarget, []placements.Detail{{Pointer: "/target/" + member, Code: code, Message: message}}, nil
	}
	switch {
	case t.PublicID == "" && t.ReportID == 0:
		return fault("reportId", placements.CodeInvalid, "is required, or publicId: a schedule names its report")
	case t.PublicID == "" && t.Document == "" && t.Address == "":
		return t.RunTarget, nil, nil
	case t.Address != "" && t.Document == "":
		return fault("document", placements.CodeInvalid, "is required with an address: send it")
	}
	if t.Address != "" {
		if l, err := placements.ParseLocation(t.Address); err != nil || l.Sheet == "" {
			return fault("address", placements.CodeAddress, "names no cell of a sheet: write it as Sheet1!B2")
		}
	}
	report, err := s.targetReport(c, t)
	if errors.Is(err, storage.ErrNotFound) {
		return fault("publicId", placements.CodeNoReport,
			"names no report of this deployment that this token may read: create that report first, or name another one")
	}
	if err != nil || report == nil {
		return t.RunTarget, nil, err
	}
	if t.ReportID != 0 && t.ReportID != report.ID {
		return fault("reportId", placements.CodeTargetsDiffer, fmt.Sprintf("is %d, and publicId is %s, which is report %d here: "+
			"send only the one that you mean", t.ReportID, t.PublicID, report.ID))
	}
	if t.ReportID = report.ID; t.Document == "" {
		return t.RunTarget, nil, nil
	}
	home, err := s.store.Sites().Home(c.Request.Context(), current(c).deployment().Tenant, t.Document)
	if err != nil {
		return t.RunTarget, nil, err
	}
	local, ok := portable.Target{Document: t.Document, Address: t.Address}.Local(report.ID, report.Places(), home)
	if !ok {
		return fault("address", placements.CodeAddress, "is no placement of the report: place the report there first, or leave address out")
	}
	return local, nil, nil
}

// targetReport is the report that a target names; ErrNotFound when its publicId names none that the caller may read, nil when its reportId
// does not, which is told where the schedule is written.
func (s *Server) targetReport(c *gin.Context, t scheduleTarget) (report *storage.Report, err error) {
	ctx, at := c.Request.Context(), current(c).deployment()
	if t.PublicID != "" {
		report, err = s.store.Reports().ByPublicID(ctx, at, t.PublicID)
	} else if report, err = s.store.Reports().Get(ctx, at, t.ReportID); errors.Is(err, storage.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	switch readable := mayReadReport(current(c).Caller, report) == nil; {
	case readable:
		return report, nil
	case t.PublicID == "":
		return nil, nil
	}
	return nil, storage.ErrNotFound
}

// showTarget is a stored target with its portable names, as far as it has some.
func showTarget(t record.RunTarget, report *storage.Report) scheduleTarget {
	shown := scheduleTarget{RunTarget: standing(t, report)}
	if report != nil {
		named := portable.TargetOf(t, report.StoredPublicID, report.Places())
		shown.PublicID, shown.Document, shown.Address = named.PublicID, named.Document, named.Address
	}
	return shown
}

// shownTarget are the ids by which the target of a schedule is shown.
func (s *Server) shownTarget(c *gin.Context, one *record.Schedule) (record.RunTarget, error) {
	if one.Target.PlacementID == "" {
		return one.Target, nil
	}
	report, err := s.targetReports(c).of(one)
	return standing(one.Target, report), err
}

// standing is a stored target with the id of the placement that its own is by now: it may have become one with another.
func standing(t record.RunTarget, report *storage.Report) record.RunTarget {
	if t.PlacementID == "" || report == nil {
		return t
	}
	for _, p := range report.Places() {
		if p.Is(t.PlacementID) && p.ID != "" {
			t.PlacementID = p.ID
			break
		}
	}
	return t
}

// targetReports are the reports of schedules, each read once.
type targetReports struct {
	s     *Server
	c     *gin.Context
	known map[int64]*storage.Report
}

func (s *Server) targetReports(c *gin.Context) *targetReports {
	return &targetReports{s: s, c: c, known: map[int64]*storage.Report{}}
}

// of returns the report of a schedule; nil when it is gone.
func (r *targetReports) of(one *record.Schedule) (*storage.Report, error) {
	id := one.Target.ReportID
	if report, ok := r.known[id]; ok {
		return report, nil
	}
	report, err := r.s.store.Reports().Get(r.c.Request.Context(), current(r.c).deployment(), id)
	if errors.Is(err, storage.ErrNotFound) {
		report, err = nil, nil
	}
	if err == nil {
		r.known[id] = report
	}
	return report, err
}

// takenKey refuses an upsert by the key of a schedule that the caller may not read as it would refuse to create one.
func (s *Server) takenKey(c *gin.Context, key string, in *scheduleInput) error {
	made := &record.Schedule{ScheduleSpec: record.ScheduleSpec{Key: key}}
	if err := s.startSchedule(c, made, in); err != nil {
		return err
	}
	if _, err := refresh.CheckSchedule(&made.ScheduleSpec); err != nil {
		return err
	}
	return storage.KeyTaken(key)
}

// startSchedule fills in a schedule that is created, if the caller may.
func (s *Server) startSchedule(c *gin.Context, made *record.Schedule, in *scheduleInput) error {
	if err := expectNone(c, in.expected); err != nil {
		return err
	}
	in.apply(&made.ScheduleSpec)
	if made.Target.ReportID != 0 {
		if err := s.hold(c, made.Target.ReportID); err != nil {
			return err
		}
	}
	return s.mayAim(c, made.Target)
}

// keyRule takes a schedule's key.
func keyRule(sent string) (code placements.Code, message string) {
	return placements.CodeInvalid, portable.KeyFault(sent)
}

// sameKey checks the key of the path, and that a body that has one too has the same.
func (b *scheduleInput) sameKey(inPath string, f *bind.Faults) {
	if inPath == "" {
		return
	}
	if wrong := portable.KeyFault(inPath); wrong != "" {
		f.Add(placements.Detail{Code: placements.CodeInvalid, Message: "In the path: " + wrong})
	}
	if b.key.Sent && b.key.OrZero() != inPath {
		message := fmt.Sprintf("The path says %.80s: send the same key, or none.", inPath)
		f.Join(placements.Detail{Pointer: "/key", Code: placements.CodeKeyFixed, Message: message})
	}
}
