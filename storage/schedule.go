package storage

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"time"

	"mooring/storage/journal"
	"mooring/storage/list"
	"mooring/storage/record"
	"mooring/storage/record/portable"
	"mooring/storage/redis"
)

// The fields of a schedule's hash. next, active, failures and lastRun are written by scripts without the schedule's lock.
const (
	fieldSpec     = "definition"
	fieldOwner    = "owner"
	fieldNext     = "next"         // ms of the next tick, empty for none
	fieldActive   = "active"       // run id
	fieldFailures = "failures"     // count
	fieldLastRun  = "lastRun"      // run id
	fieldPaused   = "pausedReason" // why the service paused it; absent otherwise
)

func readSchedule(k deploymentKeys, id int64, hash map[string]string) (*record.Schedule, error) {
	if len(hash) == 0 {
		return nil, ErrNotFound
	}
	c, err := record.ReadSchedule(hash[fieldSpec])
	if err != nil {
		return nil, fmt.Errorf("schedule %d: %w", id, err)
	}
	var owner record.KeptActor
	if err := json.Unmarshal([]byte(hash[fieldOwner]), &owner); err != nil {
		return nil, fmt.Errorf("schedule %d: owner: %w", id, err)
	}
	c.Owner = owner.Restored()
	c.ID, c.DeploymentID = id, k.ID
	c.LastRunID, c.Active = hash[fieldLastRun], hash[fieldActive]
	c.Failures, _ = strconv.Atoi(hash[fieldFailures])
	if reason := hash[fieldPaused]; reason != "" {
		c.Paused, c.PausedReason = true, reason
	}
	if ms, err := strconv.ParseInt(hash[fieldNext], 10, 64); err == nil {
		c.Next = time.UnixMilli(ms).UTC()
	}
	return c, nil
}

// CreateSchedule stores a new schedule of a report that exists, and when it first fires, which may depend on its id. ErrNotFound: there
// is no such report. The *placements.Error CodeScheduleLimit: there are too many already; CodeKeyTaken: another one has its key.
func (s *Store) CreateSchedule(
	ctx context.Context, d record.Deployment, spec record.ScheduleSpec, who record.Actor, first func(id int64) record.Tick,
) (*record.Schedule, error) {
	k := s.deployment(d)
	id, err := s.rdb.HIncrBy(ctx, k.IDs(), "schedule", 1).Result()
	if err != nil {
		return nil, redis.Unavailable(err)
	}
	locks := s.scheduleLocks(k, id)
	if spec.Key != "" {
		locks = append(locks, k.ScheduleKeyLock(spec.Key))
	}
	h, loaded, err := s.lockLoad(ctx, locks, []string{k.Report(spec.Target.ReportID)})
	if err != nil {
		return nil, err
	}
	defer s.unlock(ctx, h)
	if len(loaded[0]) == 0 {
		return nil, ErrNotFound
	}
	now := s.timestamp()
	c := &record.Schedule{
		ID: id, DeploymentID: d.ID, ScheduleSpec: spec,
		CreatedAt: now, UpdatedAt: now, CreatedBy: who.ID, UpdatedBy: new(who.User()), Version: 1, Owner: who, Effect: record.Created,
	}
	if err := s.roomFor(ctx, k, c); err != nil {
		return nil, err
	}
	var todo txn
	if err := s.claimKey(ctx, &todo, k, c, ""); err != nil {
		return nil, err
	}
	k.writeSchedule(&todo, c, nil, first(id))
	todo.once(who.Via.Once, id)
	todo.note(k, journal.Of(who, journal.Create, journal.OfSchedule(c)).Made(c.Version))
	return c, s.commit(ctx, h, &todo)
}

// writeSchedule adds what storing c in place of before, nil for none, and its next tick changes.
func (k deploymentKeys) writeSchedule(todo *txn, c, before *record.Schedule, next record.Tick) {
	c.Next = next.At
	todo.set(k.Schedule(c.ID), fieldSpec, record.KeepSchedule(c))
	todo.set(k.Schedule(c.ID), fieldOwner, record.Keep(c.Owner))
	todo.Then("HSET", k.Schedule(c.ID), fieldNext, redis.Milliseconds(next.At))
	todo.Then("HDEL", k.Schedule(c.ID), fieldPaused)
	todo.Then("ZADD", k.Schedules(), c.ID, c.ID)
	if c.Paused {
		todo.Then("ZADD", k.PausedSchedules(), c.ID, c.ID)
	} else {
		todo.Then("ZREM", k.PausedSchedules(), c.ID)
	}
	if before != nil && before.Target.ReportID != c.Target.ReportID {
		todo.Then("ZREM", k.ReportSchedules(before.Target.ReportID), c.ID)
	}
	todo.listOfReport(k, c)
	todo.enlist(k.SchedulesOfTenant(), k.Owner(c.ID))
	todo.Then("ZADD", k.SchedulesOf(c.CreatedBy), c.PerHour, k.Owner(c.ID))
	todo.publishSchedule(k, record.EventScheduleChanged, c)
	if next.At.IsZero() {
		todo.Then("ZREM", k.Due(), k.DueSchedule(c.ID))
		return
	}
	todo.Then("ZADD", k.Due(), next.Due.UnixMilli(), k.DueSchedule(c.ID))
}

// listOfReport adds that c is listed as one of its report.
func (t *txn) listOfReport(k deploymentKeys, c *record.Schedule) {
	t.Then("ZADD", k.ReportSchedules(c.Target.ReportID), c.ID, c.ID)
}

// Schedule reads one schedule.
func (s *Store) Schedule(ctx context.Context, d record.Deployment, id int64) (*record.Schedule, error) {
	k := s.deployment(d)
	hash, err := s.rdb.HGetAll(ctx, k.Schedule(id)).Result()
	if err != nil {
		return nil, redis.Unavailable(err)
	}
	return readSchedule(k, id, hash)
}

// ScheduleByKey returns the deployment's schedule of that key; ErrNotFound.
func (s *Store) ScheduleByKey(ctx context.Context, d record.Deployment, key string) (*record.Schedule, error) {
	k := s.deployment(d)
	owner, _, err := claimed(ctx, s.rdb, k.ScheduleKeys(), key)
	if err != nil {
		return nil, err
	}
	id, here := k.Owned(owner)
	if !here {
		return nil, ErrNotFound
	}
	return s.Schedule(ctx, d, id)
}

// UpdateSchedule lets decide change the stored schedule for who and say when it fires next, under the schedule's lock. A decide that
// changes nothing leaves version and updatedAt as they were. Its error is returned as it is.
func (s *Store) UpdateSchedule(
	ctx context.Context, d record.Deployment, id int64, who record.Actor, decide func(*record.Schedule) (record.Tick, error),
) (*record.Schedule, error) {
	k := s.deployment(d)
	h, loaded, err := s.lockLoad(ctx, s.scheduleLocks(k, id), []string{k.Schedule(id)})
	if err != nil {
		return nil, err
	}
	defer s.unlock(ctx, h)
	c, err := readSchedule(k, id, loaded[0])
	if err != nil {
		return nil, err
	}
	before := *c
	before.Cron = slices.Clone(c.Cron)
	next, err := decide(c)
	if err != nil {
		return nil, err
	}
	same := *c
	same.Owner, same.PerHour = before.Owner, before.PerHour // they are no part of what has versions
	switch changed := !reflect.DeepEqual(before, same); {
	case changed:
		c.Version++
		c.UpdatedAt, c.UpdatedBy, c.Effect = s.timestamp(), new(who.User()), record.Updated
	case reflect.DeepEqual(record.Keep(before.Owner), record.Keep(c.Owner)):
		return c, nil
	}
	if err := s.roomFor(ctx, k, c); err != nil {
		return nil, err
	}
	if !c.Paused {
		c.PausedReason = ""
	}
	var todo txn
	if err := s.claimKey(ctx, &todo, k, c, before.Key); err != nil {
		return nil, err
	}
	k.writeSchedule(&todo, c, &before, next)
	if c.Effect == record.Updated {
		todo.note(k, journal.ScheduleChange(who, &before, c))
	}
	if !c.Paused {
		todo.Then("HDEL", k.Schedule(id), fieldFailures)
		c.Failures = 0
	}
	return c, s.commit(ctx, h, &todo)
}

// DeleteSchedule removes a schedule after allow agreed. Its runs and their history stay.
func (s *Store) DeleteSchedule(
	ctx context.Context, d record.Deployment, id int64, who record.Actor, allow func(*record.Schedule) error,
) error {
	k := s.deployment(d)
	h, loaded, err := s.lockLoad(ctx, []string{k.ScheduleLock(id)}, []string{k.Schedule(id)})
	if err != nil {
		return err
	}
	defer s.unlock(ctx, h)
	c, err := readSchedule(k, id, loaded[0])
	if err != nil {
		return err
	}
	if err := allow(c); err != nil {
		return err
	}
	var todo txn
	s.deleteSchedule(&todo, k, c, who)
	return s.commit(ctx, h, &todo)
}

// deleteSchedule adds what who's removing a schedule changes.
func (s *Store) deleteSchedule(todo *txn, k deploymentKeys, c *record.Schedule, who record.Actor) {
	k.dropSchedule(todo, c)
	s.entomb(todo, k, c.ManagedBy, portable.ScheduleKey(c.Key), who)
	todo.note(k, journal.Of(who, journal.Delete, journal.OfSchedule(c)))
}

// dropSchedule adds what removing a schedule changes.
func (k deploymentKeys) dropSchedule(todo *txn, c *record.Schedule) {
	id := c.ID
	todo.Then("DEL", k.Schedule(id))
	todo.Then("ZREM", k.Schedules(), id)
	todo.Then("ZREM", k.PausedSchedules(), id)
	todo.Then("ZREM", k.ReportSchedules(c.Target.ReportID), id)
	todo.delist(k.SchedulesOfTenant(), k.Owner(id))
	todo.delist(k.SchedulesOf(c.CreatedBy), k.Owner(id))
	todo.Then("ZREM", k.Due(), k.DueSchedule(id))
	todo.publishSchedule(k, record.EventScheduleDeleted, c)
	if c.Key != "" {
		todo.Then("HDEL", k.ScheduleKeys(), c.Key)
	}
}

// Schedules returns a page of the deployment's schedules, by id, that q.Schedules and visible admit.
func (s *Store) Schedules(
	ctx context.Context, d record.Deployment, q record.ListQuery, visible func(*record.Schedule) (bool, error),
) (record.Page[*record.Schedule], error) {
	k := s.deployment(d)
	index := k.Schedules()
	switch {
	case q.Schedules.Report != 0:
		index = k.ReportSchedules(q.Schedules.Report)
	case q.Schedules.Paused.OrZero():
		index = k.PausedSchedules()
	}
	matching := func(yield func(*record.Schedule, error) bool) {
		for chunk, err := range list.IDs(ctx, s.rdb, index, q.FirstID()) {
			var found []*record.Schedule
			if err == nil {
				found, err = s.readableSchedules(ctx, k, chunk)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			for _, c := range found {
				if !q.Schedules.Admits(c) {
					continue
				}
				admitted, err := visible(c)
				if (admitted || err != nil) && !yield(c, err) || err != nil {
					return
				}
			}
		}
	}
	return record.CutPage(q, matching, func(c *record.Schedule) record.Cursor { return record.Cursor{ID: c.ID} })
}

// scheduleLocks are the locks that a write of a schedule takes: with limits also the one under which schedules are counted, so that of
// writers at the same time none counts without the others.
func (s *Store) scheduleLocks(k deploymentKeys, id int64) []string {
	if s.schedules == (record.ScheduleLimits{}) {
		return []string{k.ScheduleLock(id)}
	}
	return []string{k.ScheduleLock(id), k.SchedulesLock()}
}

// roomFor checks that c, new or changed, is within the limits, see ScheduleCount.Admit; the caller holds the scheduleLocks.
func (s *Store) roomFor(ctx context.Context, k deploymentKeys, c *record.Schedule) error {
	if s.schedules == (record.ScheduleLimits{}) {
		return nil
	}
	p := s.rdb.Pipeline()
	tenant, user := p.ZCard(ctx, k.SchedulesOfTenant()), p.ZRangeWithScores(ctx, k.SchedulesOf(c.CreatedBy), 0, -1)
	if _, err := p.Exec(ctx); err != nil {
		return redis.Unavailable(err)
	}
	mine := map[string]int{}
	for _, one := range user.Val() {
		name, _ := one.Member.(string)
		mine[name] = int(one.Score)
	}
	count := record.ScheduleCount{Tenant: int(tenant.Val()), Ticks: map[int64]map[string]int{c.CreatedBy: mine}}
	return count.Admit(s.schedules, k.Owner(c.ID), c)
}

// ScheduleUse counts the schedules of a tenant, and those that a user of it has made, against their limits.
func (s *Store) ScheduleUse(ctx context.Context, tenant string, user int64) (record.ScheduleUse, error) {
	k, p := s.tenant(tenant), s.rdb.Pipeline()
	all, mine := p.ZCard(ctx, k.SchedulesOfTenant()), p.ZCard(ctx, k.SchedulesOf(user))
	if _, err := p.Exec(ctx); err != nil {
		return record.ScheduleUse{}, redis.Unavailable(err)
	}
	return record.ScheduleUse{OfUser: int(mine.Val()), OfTenant: int(all.Val()), Limits: s.schedules}, nil
}

// readableSchedules loads the schedules of these ids. One that cannot be read is logged and left out: whom it concerns, its record said.
func (s *Store) readableSchedules(ctx context.Context, k deploymentKeys, ids []int64) ([]*record.Schedule, error) {
	hashes, err := list.Hashes(ctx, s.rdb, ids, k.Schedule, nil)
	if err != nil {
		return nil, err
	}
	var found []*record.Schedule
	for i, hash := range hashes {
		if len(hash.Fields) == 0 && hash.Err == nil {
			continue
		}
		c, err := readSchedule(k, ids[i], hash.Fields)
		if err = cmp.Or(hash.Err, err); err != nil {
			s.log.Error("schedule cannot be read", "tenant", k.Name, "deployment", k.ID, "schedule", ids[i], "error", err)
			continue
		}
		found = append(found, c)
	}
	return found, nil
}
