package schedules

import (
	"context"
	"fmt"
	"net/http"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/record/portable"
	"mooring/web/bind"
	"mooring/web/members"
	"mooring/web/request"
)

// scheduleBody is the body of a schedule's creation and update (decisions.md §7).
type scheduleBody struct {
	members.ScheduleBody
	key      placements.Optional[string]
	target   placements.Optional[target]
	resolved record.RunTarget // of target, by the ids of this deployment
	expected placements.Optional[int64]
}

// Members implements request.Body.
func (b *scheduleBody) Members(o *bind.Object) {
	b.ScheduleBody.Members(o)
	bind.OptionalText(o, "key", &b.key, members.MaxName, keyRule)
	bind.Optional(o, "target", &b.target, func(o *bind.Object, in *target) { in.Members(o) })
	o.OptionalWhole("expectedVersion", &b.expected, 1)
	o.Ignored("id", "deploymentId", "pausedReason", "createdAt", "updatedAt", "createdBy", "owner", "updatedBy", "version",
		"nextFires", "names", "lastTicks", "lastRun", "managedBy", "warnings")
}

// read fills in with the request's body. All faults are in one error.
func (f *finder) read(ctx context.Context, c *request.Call, in *scheduleBody) error {
	faults, err := c.Bind(in)
	if err != nil {
		return err
	}
	if err := f.judge(ctx, c, in, &faults); err != nil {
		return err
	}
	return request.Faulty(faults)
}

// judge judges the spec that the body makes; of one that changes a schedule, what is left out is right.
func (f *finder) judge(ctx context.Context, c *request.Call, b *scheduleBody, faults *bind.Faults) error {
	b.sameKey(c.Param("key"), faults)
	stored, err := f.pathSchedule(ctx, c)
	if err != nil {
		return err
	}
	if b.target.Value != nil {
		shown, err := f.shownTarget(ctx, c, &stored)
		if err != nil {
			return err
		}
		resolved, wrong, err := f.resolve(ctx, c, b.target.Value.over(stored.Target, shown))
		if err != nil {
			return err
		}
		if b.resolved = resolved; len(wrong) > 0 {
			b.resolved.ReportID = 1 // no second fault for the same
		}
		faults.Join(wrong...)
	}
	var spec record.ScheduleSpec
	if c.Request.Method != http.MethodPost {
		spec.Target.ReportID, spec.Cron = 1, []string{"@hourly"}
	}
	b.apply(&spec)
	faults.Join(b.Faults(spec)...)
	if len(*faults) > 0 && b.key.Sent { // without another fault storage says it
		faults.Join(placements.DetailsOf(stored.KeepsKey(b.key.OrZero()))...)
	}
	return nil
}

// pathSchedule is the schedule that the path names by id; a zero one where it names none, or none that the caller may edit.
func (f *finder) pathSchedule(ctx context.Context, c *request.Call) (stored record.Schedule, err error) {
	if c.Param("scheduleId") == "" {
		return stored, nil
	}
	found, err := f.editable(ctx, c)
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
func (b *scheduleBody) apply(spec *record.ScheduleSpec) {
	b.ScheduleBody.Apply(spec)
	if b.key.Sent {
		spec.Key = b.key.OrZero()
	}
	if b.target.Sent {
		spec.Target = b.resolved
	}
}

// keyRule takes a schedule's key.
func keyRule(sent string) (code placements.Code, message string) {
	return placements.CodeInvalid, portable.KeyFault(sent)
}

// sameKey checks the key of the path, and that a body that has one too has the same.
func (b *scheduleBody) sameKey(inPath string, f *bind.Faults) {
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
