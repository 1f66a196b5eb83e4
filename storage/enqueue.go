package storage

import (
	"context"
	"crypto/rand"
	"errors"
	"strconv"
	"time"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// enqueueScript makes runs that were asked for.
//
//	KEYS   for each: run, runs of the report, runs of the schedule (or those of the report again), report, queue, active runs of the report,
//	       events, schedule
//	ARGV   for each: run JSON, run id, tenant, deployment, target, prefix of run keys, report id, event data
//	result for each: "", the id of a run on that target that has not ended, or 0 when there is no such report
var enqueueScript = redis.NewScript(lua("now", "publish", "run", "enqueue"))

// Order asks for a manual run in a deployment of a tenant.
type Order struct {
	DeploymentID int64
	Run          *record.Run // gets its id and fire time when it is made
}

// Enqueue makes one manual run; its errors are those of EnqueueAll.
func (s *Store) Enqueue(ctx context.Context, d Deployment, run *record.Run) error {
	refused, err := s.EnqueueAll(ctx, d.Tenant, []Order{{d.ID, run}})
	if err != nil {
		return err
	}
	return refused[0]
}

// EnqueueAll makes manual runs of a tenant in one step, so that agents find them in the queue together. refused is as long as list and
// says why there is no run: a *placements.Error, CodeRunning, that names the manual run that is refreshing the target already, or
// ErrNotFound, there is no such report. With err it is unknown which runs were made.
func (s *Store) EnqueueAll(ctx context.Context, tenant string, list []Order) (refused []error, err error) {
	now, err := s.Clock(ctx)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	var keys []string
	var argv []any
	for _, o := range list {
		k, run := s.deployment(Deployment{tenant, o.DeploymentID}), o.Run
		run.ID, run.Trigger, run.State, run.FireTime = rand.Text(), record.TriggerManual, placements.RunQueued, placements.Time(now)
		made, err := recordOf(run)
		if err != nil {
			return nil, err
		}
		history := k.reportRuns(run.ReportID)
		if run.ScheduleID != 0 {
			history = k.scheduleRuns(run.ScheduleID)
		}
		keys = append(keys, k.run(run.ID), k.reportRuns(run.ReportID), history,
			k.report(run.ReportID), k.queue(), k.activeRuns(run.ReportID), k.events(), k.schedule(run.ScheduleID))
		argv = append(argv, made.run, run.ID, tenant, o.DeploymentID, run.Target().Field(), k.run(""), run.ReportID, made.event)
	}
	out, err := enqueueScript.Run(ctx, s.rdb, keys, argv...).Slice()
	if err != nil {
		return nil, redis.Unavailable(err)
	}
	refused = make([]error, len(list))
	for i, active := range out {
		refused[i] = notEnqueued(active)
	}
	return refused, nil
}

// notEnqueued is why enqueueScript made no run; nil when it did.
func notEnqueued(active any) error {
	id, exists := active.(string)
	switch {
	case !exists:
		return ErrNotFound
	case id == "":
		return nil
	}
	busy := placements.Errorf(placements.CodeRunning, "Run %s refreshes the same placements and has not ended: wait for it or stop it.", id)
	busy.Details = []placements.Detail{{Code: busy.Code, Message: busy.Message, RunID: id}}
	return busy
}

// Firing is what a tick of a schedule comes to.
type Firing struct {
	Deployment Deployment
	Schedule   *record.Schedule
	Next       record.Tick // what comes after it
	Run        *record.Run // nil: the tick makes no run
	Queue      bool        // wait for the schedule's active run; else a run that meets one is recorded as SKIPPED
}

// fireScript turns ticks into their runs, each once.
//
//	KEYS   for each: run, runs of the report, runs of the schedule, schedule, due, queue, waiting runs of the schedule, events
//	ARGV   for each: tick ms, next tick ms or "", next due ms, due member, run id or "", run JSON or "", run JSON when skipped, queue 0/1,
//	       tenant, deployment, prefix of run keys, report id, event data, event data when skipped
//	result for each: 1 queued, 2 waiting, 3 skipped, 0 another caller was first or there is no run to make
var fireScript = redis.NewScript(lua("now", "publish", "run", "fire"))

// Fire carries out firings, each of them at most once in the life of the storage, in one round trip and those of a partition in one step.
// It tells which of them this call made a run of, skipped or not; made is as long as list.
func (s *Store) Fire(ctx context.Context, list []Firing) (made []bool, err error) {
	made = make([]bool, len(list))
	members := map[int][]int{} // partition -> indexes in list
	for i, f := range list {
		n := s.partition(f.Deployment.Tenant)
		members[n] = append(members[n], i)
	}
	p := s.rdb.Pipeline()
	cmds := make(map[int]*redis.Cmd, len(members))
	for n, indexes := range members {
		if cmds[n], err = s.firePartition(ctx, p, list, indexes); err != nil {
			return made, err
		}
	}
	_, _ = p.Exec(ctx) // each command's own error says more
	var errs []error
	for n, cmd := range cmds {
		out, err := cmd.Int64Slice()
		errs = append(errs, redis.Unavailable(err))
		for i, result := range out {
			made[members[n][i]] = result > 0
		}
	}
	return made, errors.Join(errs...)
}

// firePartition adds the firings at those indexes, which are of one partition.
func (s *Store) firePartition(ctx context.Context, p redis.Pipeliner, list []Firing, indexes []int) (*redis.Cmd, error) {
	var keys []string
	var argv []any
	for _, i := range indexes {
		k, a, err := s.firing(list[i])
		if err != nil {
			return nil, err
		}
		keys, argv = append(keys, k...), append(argv, a...)
	}
	return fireScript.Eval(ctx, p, keys, argv...), nil // a pipeline cannot load a script that is missing
}

func (s *Store) firing(f Firing) (keys []string, argv []any, err error) {
	d, c := f.Deployment, f.Schedule
	k := s.deployment(d)
	run, queued, skipped := &record.Run{}, runRecord{}, runRecord{}
	if f.Run != nil {
		run = f.Run
		var err2 error
		skipped, err = recordOf(skippedRun(*run))
		if run.State != placements.RunSkipped {
			queued, err2 = recordOf(run)
		}
		if err = errors.Join(err, err2); err != nil {
			return nil, nil, err
		}
	}
	queue := 0
	if f.Queue {
		queue = 1
	}
	keys = []string{
		k.run(run.ID), k.reportRuns(c.Target.ReportID), k.scheduleRuns(c.ID), k.schedule(c.ID), k.due(), k.queue(), k.scheduleWaiting(c.ID), k.events(),
	}
	argv = []any{
		milliseconds(c.Next), milliseconds(f.Next.At), f.Next.Due.UnixMilli(), k.dueSchedule(c.ID), run.ID, queued.run, skipped.run, queue,
		d.Tenant, d.ID, k.run(""), c.Target.ReportID, queued.event, skipped.event,
	}
	return keys, argv, nil
}

// runRecord is a run as its hash holds it, and the data of the event that tells of it.
type runRecord struct{ run, event string }

func recordOf(run *record.Run) (r runRecord, err error) {
	var err2 error
	r.run, err = encodeRun(run)
	r.event, err2 = runEvent(run)
	return r, errors.Join(err, err2)
}

// skippedRun is a run that was not made. One that gives no reason met an earlier one of its schedule.
func skippedRun(run record.Run) *record.Run {
	run.State = placements.RunSkipped
	run.EndedAt = run.FireTime
	if run.Error == "" {
		run.Error = "the schedule's earlier run had not ended when this one was due"
	}
	return &run
}

// RunID names the one run of a schedule's tick.
func RunID(schedule int64, tick time.Time) string {
	return strconv.FormatInt(schedule, 10) + ":" + milliseconds(tick)
}
