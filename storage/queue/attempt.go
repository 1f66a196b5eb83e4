package queue

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"time"

	"mooring/placements"
	"mooring/storage/keys"
	"mooring/storage/record"
	"mooring/storage/record/lifecycle"
	"mooring/storage/redis"
)

// ErrEnded says that the run has ended, or is not this agent's any more; there is nothing to do.
var ErrEnded = errors.New("run ended or taken by another agent")

// Attempt is an agent's right to work on a run. Each attempt has a higher fence than the ones before: what an older one still tries to
// leave is refused.
type Attempt struct {
	Deployment record.Deployment
	Run        *record.Run
	Fence      int64
	Begun      time.Time         // by the store's clock
	Asked      time.Time         // the run must find the data of then: see Arrive; zero for most
	Place      string            // when the run was accepted, as texts compare: "<µs>:<run id>"
	Stopped    bool              // a client asked to stop the run: complete it without working
	Report     map[string]string // the hash of the report that it refreshes, as it was when the attempt began; empty when there is none
	Placements map[string]string // the hash of its placements, from the same moment
	Site       string            // where the document is that the run names, as that is stored; empty: it has no link, or the run names none
	keys       keys.DeploymentKeys
	agent      string // who has the entry; empty: the run is held, see Hold
	entry      Entry
	document   Lock   // of the document of a client run, while its add-in has it
	plan       string // the digest of the plan by which a client run is settled: it must be the last one; empty: none settles it
	taken      takenOver
	told       bool            // that the run has started
	wants      map[string]bool // placements that the run may be the one to want
}

// Begin starts an attempt of the entry's run; ErrEnded when another agent has the entry now or the run has ended.
func (q *Queue) Begin(ctx context.Context, agent string, e Entry) (*Attempt, error) {
	k := q.db.deployment(e.Deployment)
	out, err := q.begins.One(ctx, e.stream, beginning{
		agent: agent, entry: e.id, queue: e.stream, due: k.Due(), run: k.Runs().Record(e.RunID), reports: k.ReportPrefix(), member: k.Runs().DueRun(e.RunID),
	})
	if err != nil {
		return nil, redis.Unavailable(err)
	}
	if len(out) == 0 {
		return nil, ErrEnded
	}
	return newAttempt(k, agent, e, out)
}

// attemptsOf is how many attempts of a run were begun when it was held under that fence. An add-in has one: taking its run away from it, to
// end it, is none.
func attemptsOf(run *record.Run, fence int64) int {
	if run.Executor == record.ExecutorClient {
		fence = min(fence, 1)
	}
	return int(fence)
}

func newAttempt(k keys.DeploymentKeys, agent string, e Entry, out []any) (*Attempt, error) {
	run, err := record.ReadRun(e.RunID, redis.Text(out[0]))
	if err != nil {
		return nil, err
	}
	a := &Attempt{
		Deployment: e.Deployment, Run: run, Begun: unixMilli(redis.Text(out[2])), Stopped: out[4] == int64(1),
		Report: redis.Pairs(out[5]), Placements: redis.Pairs(out[6]), Asked: unixMilli(redis.Text(out[7])), Place: redis.Text(out[8]),
		taken: readTakenOver(redis.Text(out[9])), Site: redis.Text(out[10]), keys: k, agent: agent, entry: e,
	}
	a.Fence, _ = out[1].(int64)
	a.wants = map[string]bool{}
	for field, wanted := range a.Placements {
		if id, ok := strings.CutPrefix(field, FieldWanted); ok && wanted == run.ID {
			a.wants[id] = true
		}
	}
	run.State = placements.RunRunning
	run.StartedAt = placements.Time(unixMilli(redis.Text(out[3])))
	run.Attempt = attemptsOf(run, a.Fence)
	run.NextAttemptAt = ""
	return a, nil
}

// giveUpScript takes the entry of an attempt out of the queue behind which another one has begun: else the entry would be taken for that of a dead
// agent, and the run from who works on it. The other attempt may have the same entry, and be of the same agent, which took it back when it was
// thought dead: without its entry no other agent would take the run if that one died.
//
//	KEYS   run, queue
//	ARGV   fence, group, agent, entry id
//	result 1; 0 when the entry is needed, or is not the agent's any more
var giveUpScript = redis.NewScript(`
local run, queue = KEYS[1], KEYS[2]
local fence, group, agent, entry = unpack(ARGV)
local latest = redis.call('HMGET', run, 'fence', 'entry')
if latest[1] == fence or latest[2] == entry or #redis.call('XPENDING', queue, group, entry, entry, 1, agent) == 0 then return 0 end
redis.call('XACK', queue, group, entry)
return redis.call('XDEL', queue, entry)`)

// GiveUp says that an attempt is not gone on with since another one has begun.
func (q *Queue) GiveUp(ctx context.Context, a *Attempt) error {
	if a.Held() {
		return nil
	}
	err := giveUpScript.Run(ctx, q.db.rdb, []string{a.keys.Runs().Record(a.Run.ID), a.entry.stream}, a.Fence, group, a.agent, a.entry.id).Err()
	return redis.Unavailable(err)
}

// A run that is held is worked on by the process that asked for it. It is in no queue: agents keep off. It stands in the due set, at the
// moment when its holder's lease ends, and every renewal moves that on; a holder that dies leaves it to be found there, as a run whose next
// attempt has come.

// holdLease is how long a held run is left alone after its holder was last heard of.
const holdLease = 10 * time.Second

// holdScript makes a run that its caller holds.
//
//	KEYS   run, runs of the report twice, report, due, active runs of the report, events
//	ARGV   run JSON, run id, due member, lease ms, target, prefix of run keys, report id, event data, owner
//	result "", the id of a run on that target which has not ended, or 0 when there is no such report
var holdScript = redis.NewScript(redis.NowLua + Lua("publish", "lists", "target", "listing", "unlist", "run") + lifecycle.Lua(`
local run, histories, report, due, active, events = KEYS[1], {KEYS[2], KEYS[3]}, KEYS[4], KEYS[5], KEYS[6], KEYS[7]
local json, id, member, lease, target, prefix, reportID, event, owner = unpack(ARGV)
if redis.call('EXISTS', report) == 0 then return 0 end
local before = running(active, prefix, reportID, target)
if not mayHold(nil, before) then return before end
recordRun(run, histories, prefix, json, id, 'QUEUED', reportID, owner, target)
redis.call('HSET', run, 'held', 1)
redis.call('HSET', active, target, id)
publish(events, 'run.queued', reportID, event)
redis.call('ZADD', due, now() + lease, member)
return ''`))

// Hold makes a manual run that the caller works on itself: see BeginHeld. Its id and fire time are set here. Errors are those of Enqueue.
func (q *Queue) Hold(ctx context.Context, d record.Deployment, run *record.Run) error {
	k := q.db.deployment(d)
	now, err := q.db.clock(ctx)
	if err != nil {
		return err
	}
	run.ID, run.Trigger, run.State, run.FireTime = rand.Text(), record.TriggerManual, placements.RunQueued, placements.Time(now)
	made, err := recordOf(run)
	if err != nil {
		return err
	}
	runs := k.Runs().OfReport(run.ReportID)
	out, err := holdScript.Run(ctx, q.db.rdb,
		[]string{k.Runs().Record(run.ID), runs, runs, k.Report(run.ReportID), k.Due(), k.Runs().ActiveRuns(run.ReportID), k.Events()},
		made.run, run.ID, k.Runs().DueRun(run.ID), holdLease.Milliseconds(), run.Target().Field(), k.Runs().Record(""), run.ReportID, made.event, run.RequestedBy.ID).Result()
	if err != nil {
		return redis.Unavailable(err)
	}
	return notEnqueued(out)
}

// beginHeldScript starts an attempt of a held run, unless its holder has lost it.
//
//	KEYS   run, due
//	ARGV   fence of the attempt before, due member, lease ms, prefix of report keys
//	result as of startAttempt
var beginHeldScript = redis.NewScript(redis.NowLua + Lua("target", "begin") + lifecycle.Lua(`
local run, due = KEYS[1], KEYS[2]
local before, member, lease, reports = unpack(ARGV)
local fields = redis.call('HMGET', run, unpack(beginFields))
if not mayBeginHeld(fields[1], fields[3], before) then return {} end
redis.call('ZADD', due, now() + lease, member)
return startAttempt(run, fields, reports)`))

// BeginHeld starts the next attempt of a run that the caller holds: the first one after Hold, when run.Attempt is 0, or the one that
// follows an attempt which the caller has completed. ErrEnded: the run has ended, or an agent has taken it over.
func (q *Queue) BeginHeld(ctx context.Context, d record.Deployment, run *record.Run) (*Attempt, error) {
	k := q.db.deployment(d)
	out, err := beginHeldScript.Run(ctx, q.db.hot, []string{k.Runs().Record(run.ID), k.Due()},
		run.Attempt, k.Runs().DueRun(run.ID), holdLease.Milliseconds(), k.ReportPrefix()).Slice()
	if err != nil {
		return nil, redis.Unavailable(err)
	}
	if len(out) == 0 {
		return nil, ErrEnded
	}
	return newAttempt(k, "", Entry{Deployment: d, RunID: run.ID, stream: k.Queue()}, out)
}

// Held reports whether the run is worked on by who asked for it, and is no agent's.
func (a *Attempt) Held() bool { return a.entry.id == "" }
