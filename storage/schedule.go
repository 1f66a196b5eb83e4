package storage

import (
	"context"
	"reflect"
	"slices"

	"mooring/storage/engine"
	"mooring/storage/keys"
	"mooring/storage/layout"
	"mooring/storage/list"
	"mooring/storage/record"
	"mooring/storage/record/portable"
	"mooring/storage/redis"
)

// Create stores a new schedule of a report that exists, and when it first fires, which may depend on its id. ErrNotFound: there
// is no such report. The *placements.Error CodeScheduleLimit: there are too many already; CodeKeyTaken: another one has its key.
func (s *Schedules) Create(
	ctx context.Context, d record.Deployment, spec record.ScheduleSpec, who record.Actor, first func(id int64) record.Tick,
) (*record.Schedule, error) {
	k := s.db.Deployment(d)
	id, err := s.db.Redis.HIncrBy(ctx, k.IDs(), "schedule", 1).Result()
	if err != nil {
		return nil, redis.Unavailable(err)
	}
	locks := s.scheduleLocks(k, id)
	if spec.Key != "" {
		locks = append(locks, k.Locks().ScheduleKey(spec.Key))
	}
	now := s.db.Timestamp()
	c := &record.Schedule{
		ID: id, DeploymentID: d.ID, ScheduleSpec: spec,
		CreatedAt: now, UpdatedAt: now, CreatedBy: who.ID, UpdatedBy: new(who.User()), Version: 1, Owner: who, Effect: record.Created,
	}
	of := engine.WriteSubject{Locks: locks, Hashes: []string{k.Report(spec.Target.ReportID)}, Same: s.unlessCounted(layout.FieldVersion)}
	return c, s.db.Change(ctx, of, func(tx *engine.Transaction, hashes []map[string]string) error {
		if len(hashes[0]) == 0 {
			return ErrNotFound
		}
		if err := s.roomFor(ctx, k, c); err != nil {
			return err
		}
		to := layout.NewRecorder(s.db, tx, k, who)
		if err := s.claimKey(ctx, to, c, ""); err != nil {
			return err
		}
		to.WriteSchedule(c, nil, first(id))
		to.NoteMade(id)
		return nil
	})
}

// change has decide record what who does to a schedule. locks are those of what it rests on, same its fields by which that is as it was read.
func (s *Schedules) change(
	ctx context.Context, k keys.DeploymentKeys, id int64, who record.Actor, locks, same []string,
	decide func(to *layout.Recorder, c *record.Schedule) error,
) error {
	of := engine.WriteSubject{Locks: locks, Hashes: []string{k.Schedule(id)}, Same: same}
	return s.db.Change(ctx, of, func(tx *engine.Transaction, hashes []map[string]string) error {
		c, err := layout.ReadSchedule(k, id, hashes[0])
		if err != nil {
			return err
		}
		return decide(layout.NewRecorder(s.db, tx, k, who), c)
	})
}

// Get reads one schedule.
func (s *Schedules) Get(ctx context.Context, d record.Deployment, id int64) (*record.Schedule, error) {
	k := s.db.Deployment(d)
	hash, err := s.db.Redis.HGetAll(ctx, k.Schedule(id)).Result()
	if err != nil {
		return nil, redis.Unavailable(err)
	}
	return layout.ReadSchedule(k, id, hash)
}

// ByKey returns the deployment's schedule of that key; ErrNotFound.
func (s *Schedules) ByKey(ctx context.Context, d record.Deployment, key string) (*record.Schedule, error) {
	k := s.db.Deployment(d)
	owner, _, err := claimed(ctx, s.db.Redis, k.ScheduleKeys(), key)
	if err != nil {
		return nil, err
	}
	id, here := k.Owned(owner)
	if !here {
		return nil, ErrNotFound
	}
	return s.Get(ctx, d, id)
}

// Update lets decide change the stored schedule for who and say when it fires next. decide may be asked again; if it changes nothing, version
// and updatedAt stay as they were. Its error is returned as it is.
func (s *Schedules) Update(
	ctx context.Context, d record.Deployment, id int64, who record.Actor, decide func(*record.Schedule) (record.Tick, error),
) (*record.Schedule, error) {
	k := s.db.Deployment(d)
	var updated *record.Schedule
	locks, same := s.scheduleLocks(k, id), s.unlessCounted(layout.ScheduleFields()...)
	err := s.change(ctx, k, id, who, locks, same, func(to *layout.Recorder, c *record.Schedule) error {
		updated = c
		before := *c
		before.Cron = slices.Clone(c.Cron)
		next, err := decide(c)
		if err != nil {
			return err
		}
		return s.revise(ctx, to, &before, c, next)
	})
	if err != nil {
		return nil, err
	}
	return updated, nil
}

// revise stores c in place of before, if it is another one.
func (s *Schedules) revise(ctx context.Context, to *layout.Recorder, before, c *record.Schedule, next record.Tick) error {
	same := *c
	same.Owner, same.PerHour = before.Owner, before.PerHour // they are no part of what has versions
	switch changed := !reflect.DeepEqual(*before, same); {
	case changed:
		c.Version++
		c.UpdatedAt, c.UpdatedBy, c.Effect = to.Timestamp(), new(to.Who.User()), record.Updated
	case reflect.DeepEqual(record.Keep(before.Owner), record.Keep(c.Owner)):
		return nil
	}
	if err := s.roomFor(ctx, to.Keys, c); err != nil {
		return err
	}
	if !c.Paused {
		c.PausedReason = ""
	}
	if err := s.claimKey(ctx, to, c, before.Key); err != nil {
		return err
	}
	to.WriteSchedule(c, before, next)
	if !c.Paused {
		to.Tx.Then("HDEL", to.Keys.Schedule(c.ID), layout.FieldFailures)
		c.Failures = 0
	}
	return nil
}

// Delete removes a schedule after allow agreed, which may be asked again. Its runs and their history stay.
func (s *Schedules) Delete(
	ctx context.Context, d record.Deployment, id int64, who record.Actor, allow func(*record.Schedule) error,
) error {
	k := s.db.Deployment(d)
	return s.change(ctx, k, id, who, []string{k.Locks().Schedule(id)}, layout.ScheduleFields(), func(to *layout.Recorder, c *record.Schedule) error {
		if err := allow(c); err != nil {
			return err
		}
		dropSchedule(to, c)
		return nil
	})
}

// dropSchedule decides the deletion of a schedule.
func dropSchedule(to *layout.Recorder, c *record.Schedule) {
	to.DropSchedule(c)
	entomb(to, c.ManagedBy, portable.ScheduleKey(c.Key))
}

// Upcoming returns the deployment's schedules that have a next tick, the soonest first.
func (s *Schedules) Upcoming(ctx context.Context, d record.Deployment) (upcoming []*record.Schedule, err error) {
	k := s.db.Deployment(d)
	for ids, err := range list.IDs(ctx, s.db.Redis, k.Schedules(), 0) {
		if err != nil {
			return nil, err
		}
		some, err := layout.ReadableSchedules(ctx, s.db, k, ids)
		if err != nil {
			return nil, err
		}
		upcoming = append(upcoming, slices.DeleteFunc(some, func(c *record.Schedule) bool { return c.Paused || c.Next.IsZero() })...)
	}
	slices.SortStableFunc(upcoming, func(a, b *record.Schedule) int { return a.Next.Compare(b.Next) })
	return upcoming, nil
}

// List returns a page of the deployment's schedules, by id, that q.Schedules and visible admit.
func (s *Schedules) List(
	ctx context.Context, d record.Deployment, q record.ListQuery, visible func(*record.Schedule) (bool, error),
) (record.Page[*record.Schedule], error) {
	k := s.db.Deployment(d)
	index := k.Schedules()
	switch {
	case q.Schedules.Report != 0:
		index = k.ReportSchedules(q.Schedules.Report)
	case q.Schedules.Paused.OrZero():
		index = k.PausedSchedules()
	}
	matching := func(yield func(*record.Schedule, error) bool) {
		for chunk, err := range list.IDs(ctx, s.db.Redis, index, q.FirstID()) {
			var found []*record.Schedule
			if err == nil {
				found, err = layout.ReadableSchedules(ctx, s.db, k, chunk)
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
func (s *Schedules) scheduleLocks(k keys.DeploymentKeys, id int64) []string {
	if s.limits == (record.ScheduleLimits{}) {
		return []string{k.Locks().Schedule(id)}
	}
	return []string{k.Locks().Schedule(id), k.SchedulesLock()}
}

// unlessCounted returns the fields by which a write is decided without locks, see engine.WriteSubject. With limits there are none: a count of all
// schedules rests on the lock, since nothing that is read says that none of them fires more often by now.
func (s *Schedules) unlessCounted(fields ...string) []string {
	if s.limits == (record.ScheduleLimits{}) {
		return fields
	}
	return nil
}

// roomFor checks that c, new or changed, is within the limits, see ScheduleCount.Admit; the caller holds the scheduleLocks.
func (s *Schedules) roomFor(ctx context.Context, k keys.DeploymentKeys, c *record.Schedule) error {
	if s.limits == (record.ScheduleLimits{}) {
		return nil
	}
	p := s.db.Redis.Pipeline()
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
	return count.Admit(s.limits, k.Owner(c.ID), c)
}

// Use counts the schedules of a tenant, and those that a user of it has made, against their limits.
func (s *Schedules) Use(ctx context.Context, tenant string, user int64) (record.ScheduleUse, error) {
	k, p := s.db.Tenant(tenant), s.db.Redis.Pipeline()
	all, mine := p.ZCard(ctx, k.SchedulesOfTenant()), p.ZCard(ctx, k.SchedulesOf(user))
	if _, err := p.Exec(ctx); err != nil {
		return record.ScheduleUse{}, redis.Unavailable(err)
	}
	return record.ScheduleUse{OfUser: int(mine.Val()), OfTenant: int(all.Val()), Limits: s.limits}, nil
}
