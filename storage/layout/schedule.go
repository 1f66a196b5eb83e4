package layout

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"mooring/storage/list"

	"mooring/storage/engine"
	"mooring/storage/journal"
	"mooring/storage/keys"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// The fields of a schedule's hash. next, active, failures and lastRun are written by scripts without the schedule's lock.
const (
	FieldSpec     = "definition"
	FieldOwner    = "owner"
	FieldNext     = "next"         // ms of the next tick, empty for none
	FieldActive   = "active"       // run id
	FieldFailures = "failures"     // count
	fieldLastRun  = "lastRun"      // run id
	fieldPaused   = "pausedReason" // why the service paused it; absent otherwise
)

// ScheduleFields are those of a schedule of which each change by a person changes one: the first holds the version.
func ScheduleFields() []string { return []string{FieldSpec, FieldOwner} }

// ReadSchedule makes a schedule of its hash; record.ErrNotFound when that is empty.
func ReadSchedule(k keys.DeploymentKeys, id int64, hash map[string]string) (*record.Schedule, error) {
	if len(hash) == 0 {
		return nil, record.ErrNotFound
	}
	c, err := record.ReadSchedule(hash[FieldSpec])
	if err != nil {
		return nil, fmt.Errorf("schedule %d: %w", id, err)
	}
	var owner record.KeptActor
	if err := json.Unmarshal([]byte(hash[FieldOwner]), &owner); err != nil {
		return nil, fmt.Errorf("schedule %d: owner: %w", id, err)
	}
	c.Owner = owner.Restored()
	c.ID, c.DeploymentID = id, k.ID
	c.LastRunID, c.Active = hash[fieldLastRun], hash[FieldActive]
	c.Failures, _ = strconv.Atoi(hash[FieldFailures])
	if reason := hash[fieldPaused]; reason != "" {
		c.Paused, c.PausedReason = true, reason
	}
	if ms, err := strconv.ParseInt(hash[FieldNext], 10, 64); err == nil {
		c.Next = time.UnixMilli(ms).UTC()
	}
	return c, nil
}

// WriteSchedule adds what storing c in place of before, nil for none, and its next tick changes.
func (to *Recorder) WriteSchedule(c, before *record.Schedule, next record.Tick) {
	c.Next = next.At
	to.Tx.Set(to.Keys.Schedule(c.ID), FieldSpec, record.KeepSchedule(c))
	to.Tx.Set(to.Keys.Schedule(c.ID), FieldOwner, record.Keep(c.Owner))
	to.Tx.Then("HSET", to.Keys.Schedule(c.ID), FieldNext, redis.Milliseconds(next.At))
	to.Tx.Then("HDEL", to.Keys.Schedule(c.ID), fieldPaused)
	to.Tx.Then("ZADD", to.Keys.Schedules(), c.ID, c.ID)
	if c.Paused {
		to.Tx.Then("ZADD", to.Keys.PausedSchedules(), c.ID, c.ID)
	} else {
		to.Tx.Then("ZREM", to.Keys.PausedSchedules(), c.ID)
	}
	if before != nil && before.Target.ReportID != c.Target.ReportID {
		to.Tx.Then("ZREM", to.Keys.ReportSchedules(before.Target.ReportID), c.ID)
	}
	to.ListOfReport(c)
	to.Tx.Enlist(to.Keys.SchedulesOfTenant(), to.Keys.Owner(c.ID))
	to.Tx.Then("ZADD", to.Keys.SchedulesOf(c.CreatedBy), c.PerHour, to.Keys.Owner(c.ID))
	to.Tx.PublishSchedule(to.Keys, record.EventScheduleChanged, c)
	to.noteSchedule(c, before)
	if next.At.IsZero() {
		to.Tx.Then("ZREM", to.Keys.Due(), to.Keys.DueSchedule(c.ID))
		return
	}
	to.Tx.Then("ZADD", to.Keys.Due(), next.Due.UnixMilli(), to.Keys.DueSchedule(c.ID))
}

// noteSchedule notes what storing c in place of before does, unless that only has other rights from now on.
func (to *Recorder) noteSchedule(c, before *record.Schedule) {
	switch {
	case before == nil:
		to.Note(journal.Create, journal.OfSchedule(c), c.Version)
	case c.Version != before.Version:
		to.Tx.Note(to.Keys, journal.ScheduleChange(to.Who, before, c))
	}
}

// ListOfReport adds that c is listed as one of its report.
func (to *Recorder) ListOfReport(c *record.Schedule) {
	to.Tx.Then("ZADD", to.Keys.ReportSchedules(c.Target.ReportID), c.ID, c.ID)
}

// DropSchedule adds what removing a schedule changes.
func (to *Recorder) DropSchedule(c *record.Schedule) {
	id := c.ID
	to.Tx.Then("DEL", to.Keys.Schedule(id))
	to.Tx.Then("ZREM", to.Keys.Schedules(), id)
	to.Tx.Then("ZREM", to.Keys.PausedSchedules(), id)
	to.Tx.Then("ZREM", to.Keys.ReportSchedules(c.Target.ReportID), id)
	to.Tx.Delist(to.Keys.SchedulesOfTenant(), to.Keys.Owner(id))
	to.Tx.Delist(to.Keys.SchedulesOf(c.CreatedBy), to.Keys.Owner(id))
	to.Tx.Then("ZREM", to.Keys.Due(), to.Keys.DueSchedule(id))
	to.Tx.PublishSchedule(to.Keys, record.EventScheduleDeleted, c)
	if c.Key != "" {
		to.Tx.Then("HDEL", to.Keys.ScheduleKeys(), c.Key)
	}
	to.Note(journal.Delete, journal.OfSchedule(c), 0)
}

// SchedulesOf returns the schedules of reports, by id.
func SchedulesOf(ctx context.Context, db *engine.DB, k keys.DeploymentKeys, reports ...int64) (found []*record.Schedule, err error) {
	p := db.Redis.Pipeline()
	listed := make([]*redis.StringSliceCmd, len(reports))
	for i, report := range reports {
		listed[i] = p.ZRange(ctx, k.ReportSchedules(report), 0, -1)
	}
	if _, err := p.Exec(ctx); err != nil {
		return nil, redis.Unavailable(err)
	}
	var ids []int64
	for _, members := range listed {
		for _, member := range members.Val() {
			id, err := ParseID(member)
			if err != nil {
				return nil, err
			}
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	elsewhere := func(c *record.Schedule) bool { return !slices.Contains(reports, c.Target.ReportID) } // aimed there meanwhile
	for chunk := range slices.Chunk(ids, list.Chunk) {
		some, err := ReadableSchedules(ctx, db, k, chunk)
		if err != nil {
			return nil, err
		}
		found = append(found, slices.DeleteFunc(some, elsewhere)...)
	}
	return found, nil
}

// ReadableSchedules loads the schedules of these ids. One that cannot be read is logged and left out: whom it concerns, its record said.
func ReadableSchedules(ctx context.Context, db *engine.DB, k keys.DeploymentKeys, ids []int64) ([]*record.Schedule, error) {
	hashes, err := list.Hashes(ctx, db.Redis, ids, k.Schedule, nil)
	if err != nil {
		return nil, err
	}
	var found []*record.Schedule
	for i, hash := range hashes {
		if len(hash.Fields) == 0 && hash.Err == nil {
			continue
		}
		c, err := ReadSchedule(k, ids[i], hash.Fields)
		if err = cmp.Or(hash.Err, err); err != nil {
			db.Log.Error("schedule cannot be read", "tenant", k.Name, "deployment", k.ID, "schedule", ids[i], "error", err)
			continue
		}
		found = append(found, c)
	}
	return found, nil
}
