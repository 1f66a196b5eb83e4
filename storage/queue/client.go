package queue

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"mooring/placements"
	"mooring/storage/keys"
	"mooring/storage/record"
	"mooring/storage/record/lifecycle"
	"mooring/storage/redis"
)

// A client run is worked on by an add-in, in several requests that any process may answer. Its lease is the lock of its document: while the
// lease lasts, no agent and no other add-in writes there. The run stands in the due set at the moment when the lease ends, so that an agent
// finds a run whose add-in is gone, and ends it.

// ClientLease is how long an add-in has its run, and the document, after it was last heard of; and how long it may have them without a
// plan, beside the time that plans take: one that plans nothing keeps others waiting for nothing.
const ClientLease = 2 * time.Minute

// clientOwner begins the token of a document that an add-in has; the id of its run follows.
const clientOwner = "client:"

// Lock is a lock that has been taken, and the token under which it was.
type Lock struct{ Key, Token string }

// clientLock is the lock of a document that an add-in has for a run: every process can name it.
func clientLock(k keys.DeploymentKeys, run *record.Run) Lock {
	return Lock{Key: k.DocumentLock(run.LockedDocument()), Token: clientOwner + run.ID + keys.LockOwner + "an add-in, run " + run.ID}
}

var startClientScript = redis.NewScript(redis.NowLua + Lua("publish", "lists", "target", "listing", "unlist", "run", "begin", "once", "start_client"))

// Try makes a manual run of one placement that an add-in works on, its Executor ExecutorClient, begins its attempt, and locks the
// document run.LockedDocument() for it. Its id and fire time are set here. limit bounds the run; the lease ends at until. a is nil while
// an agent writes to the document or is to have it next, and nothing was made. Errors are those of Enqueue, with CodeRunning also for the
// client run that has the document.
func (q *Clients) Try(
	ctx context.Context, d record.Deployment, run *record.Run, limit time.Duration,
) (a *Attempt, until time.Time, err error) {
	k := q.db.deployment(d)
	now, err := q.db.clock(ctx)
	if err != nil {
		return nil, until, err
	}
	once := run.RequestedBy.Via.Once
	run.ID = once.RunID(run.Target().Field())
	run.Trigger, run.State, run.FireTime = record.TriggerManual, placements.RunQueued, placements.Time(now)
	made, err := recordOf(run)
	if err != nil {
		return nil, until, err
	}
	lock, lease := clientLock(k, run), min(limit, ClientLease)
	keys, argv := onceOf(once, []string{
		k.Runs().Record(run.ID), k.Runs().OfReport(run.ReportID), k.Placements(run.ReportID), k.Due(), k.Runs().ActiveRuns(run.ReportID), k.Events(), lock.Key,
		k.DocumentTurn(run.LockedDocument()),
	}, []any{
		made.run, run.ID, k.Runs().DueRun(run.ID), lease.Milliseconds(),
		run.Target().Field(), k.Runs().Record(""), run.ReportID, made.event, lock.Token, k.ReportPrefix(), run.RequestedBy.ID,
	})
	reply, err := startClientScript.Run(ctx, q.db.rdb, keys, argv...).Result()
	if err != nil {
		return nil, until, redis.Unavailable(err)
	}
	out, many := reply.([]any)
	switch {
	case !many:
		return nil, until, notEnqueued(reply)
	case len(out) == 0:
		return nil, until, redis.ErrLockLost
	case len(out) == 1:
		return nil, until, hasDocument(redis.Text(out[0]))
	}
	if a, err = clientAttempt(k, d, run, out); err != nil {
		return nil, until, err
	}
	return a, a.Begun.Add(lease), nil
}

// hasDocument returns the refusal of a run whose document another add-in has, by the token of its lock; nil for an agent's.
func hasDocument(token string) error {
	client, ok := strings.CutPrefix(token, clientOwner)
	if !ok {
		return nil
	}
	runID, _, _ := strings.Cut(client, keys.LockOwner)
	return runningError(runID, "Run %s of an add-in writes to the same spreadsheet and has not ended: wait for it or stop it.")
}

// clientAttempt reads the attempt of a client run that a script has replied.
func clientAttempt(k keys.DeploymentKeys, d record.Deployment, run *record.Run, out []any) (*Attempt, error) {
	a, err := newAttempt(k, "", Entry{Deployment: d, RunID: run.ID, stream: k.Queue()}, out)
	if err == nil {
		a.document = clientLock(k, run)
	}
	return a, err
}

// resumeClientScript loads the attempt of a client run whose lease goes on.
//
//	KEYS   run, lock of the document
//	ARGV   fence, token, prefix of report keys
//	result as of startAttempt
var resumeClientScript = redis.NewScript(redis.NowLua + Lua("target", "begin") + lifecycle.Lua(`
local fence, token, reports = unpack(ARGV)
local fields = redis.call('HMGET', KEYS[1], unpack(beginFields))
if not mayResume(fields[1], fields[3], fence, redis.call('GET', KEYS[2]) == token) then return {} end
return attempt(fields, tonumber(fence), tostring(now()), fields[4], reports)`))

// planByScript says until when a client run without a plan may be held.
//
//	KEYS   run
//	ARGV   fence, how long from now in ms
//	result 1; 0 when the run has a plan, or is not held under that fence
var planByScript = redis.NewScript(redis.NowLua + `
local fields = redis.call('HMGET', KEYS[1], 'fence', 'planBy')
if fields[1] ~= ARGV[1] or not fields[2] then return 0 end
redis.call('HSET', KEYS[1], 'planBy', string.format('%.0f', now() + ARGV[2]))
return 1`)

// fieldPlanBy is the field of a client run's hash that bounds its lease as long as it has no plan.
const fieldPlanBy = "planBy"

// PlanWithin lets the add-in of a client run that has no plan yet hold it for that long from now. A run with a plan is left alone.
func (q *Clients) PlanWithin(ctx context.Context, a *Attempt, within time.Duration) error {
	err := planByScript.Run(ctx, q.db.hot, []string{a.keys.Runs().Record(a.Run.ID)}, strconv.FormatInt(a.Fence, 10), within.Milliseconds()).Err()
	return redis.Unavailable(err)
}

// fieldDigest is the field of a client run's hash that PlannedDigest reads.
const fieldDigest = "digest"

// Planned adds that a client run has a plan, of that digest: from now on it may be held as long as runs may take.
func (a *Attempt) Planned(tx *redis.Txn, digest string) {
	tx.Then("HSET", a.keys.Runs().Record(a.Run.ID), fieldDigest, digest)
	tx.Then("HDEL", a.keys.Runs().Record(a.Run.ID), fieldPlanBy)
}

// PlannedDigest returns the digest of the last plan of a client run, "" without one. It outlives the run.
func (q *Clients) PlannedDigest(ctx context.Context, d record.Deployment, runID string) (string, error) {
	digest, err := q.db.rdb.HGet(ctx, q.db.deployment(d).Runs().Record(runID), fieldDigest).Result()
	if errors.Is(err, redis.Nil) {
		return "", nil
	}
	return digest, redis.Unavailable(err)
}

// SettlesPlan makes a the end of a client run by the plan of that digest: it is stored only if that is still the last one.
func (a *Attempt) SettlesPlan(digest string) { a.plan = digest }

// Resume returns the attempt of a client run for another step of its add-in, which sent its fence. redis.ErrLockLost: the lease has ended,
// or the run has.
func (q *Clients) Resume(ctx context.Context, d record.Deployment, run *record.Run, fence int64) (*Attempt, error) {
	k := q.db.deployment(d)
	h := clientLock(k, run)
	out, err := resumeClientScript.Run(ctx, q.db.hot, []string{k.Runs().Record(run.ID), h.Key},
		strconv.FormatInt(fence, 10), h.Token, k.ReportPrefix()).Slice()
	if err != nil {
		return nil, redis.Unavailable(err)
	}
	if len(out) == 0 {
		return nil, redis.ErrLockLost
	}
	return clientAttempt(k, d, run, out)
}

// Document returns the lock of the document of a client run, zero for any other run's attempt.
func (a *Attempt) Document() Lock { return a.document }

// renewClientScript prolongs the lease of a client run, but not beyond its limit, nor, without a plan, beyond the time for one.
//
//	KEYS   run, lock of the document, due
//	ARGV   fence, token, lease ms, limit ms, due member
//	result when the lease ends, in ms; "" when it has ended
var renewClientScript = redis.NewScript(redis.NowLua + lifecycle.Lua(`
local fence, token, lease, limit, member = unpack(ARGV)
local fields, at = redis.call('HMGET', KEYS[1], 'state', 'fence', 'startedAt', 'planBy'), now()
if not mayRenewClient(fields[1], fields[2], fence, redis.call('GET', KEYS[2]) == token) then return '' end
local ends = math.min(at + lease, fields[3] + limit, (fields[4] or at + lease) + 0)
if ends <= at then return '' end
ends = string.format('%.0f', ends)
redis.call('PEXPIREAT', KEYS[2], ends)
redis.call('ZADD', KEYS[3], ends, member)
return ends`))

// Renew prolongs the lease of a client run, whose add-in sent its fence, and returns when it ends. redis.ErrLockLost: it has ended.
func (q *Clients) Renew(
	ctx context.Context, d record.Deployment, run *record.Run, fence int64, limit time.Duration,
) (until time.Time, err error) {
	k := q.db.deployment(d)
	h := clientLock(k, run)
	ends, err := renewClientScript.Run(ctx, q.db.hot, []string{k.Runs().Record(run.ID), h.Key, k.Due()},
		strconv.FormatInt(fence, 10), h.Token, ClientLease.Milliseconds(), limit.Milliseconds(), k.Runs().DueRun(run.ID)).Text()
	if err != nil {
		return until, redis.Unavailable(err)
	}
	if ends == "" {
		return until, redis.ErrLockLost
	}
	return unixMilli(ends), nil
}

// takeClientScript takes a client run from its add-in: when it is to stop, or when its lease has ended.
//
//	KEYS   run, lock of the document, due
//	ARGV   token, 1 to stop the run, due member, lease ms, prefix of report keys
//	result as of startAttempt
var takeClientScript = redis.NewScript(redis.NowLua + Lua("target", "begin") + lifecycle.Lua(`
local run, lock, due = unpack(KEYS)
local token, stop, member, lease, reports = unpack(ARGV)
local holds = redis.call('GET', lock) == token
local state = redis.call('HGET', run, 'state')
if not mayAbandon(state, holds) and not (stop == '1' and mayEndClient(state)) then return {} end
if holds then redis.call('DEL', lock) end
if stop == '1' then redis.call('HSET', run, 'stop', 1) end
redis.call('ZADD', due, now() + lease, member)
return startAttempt(run, redis.call('HMGET', run, unpack(beginFields)), reports)`))

// Take begins an attempt that is to end a client run, and frees its document: at once if it is to stop, else only if the lease of its
// add-in has ended. ErrEnded: there is nothing to end. If the caller dies, an agent ends the run.
func (q *Clients) Take(ctx context.Context, d record.Deployment, run *record.Run, stop bool) (*Attempt, error) {
	k := q.db.deployment(d)
	h, stops := clientLock(k, run), 0
	if stop {
		stops = 1
	}
	out, err := takeClientScript.Run(ctx, q.db.rdb, []string{k.Runs().Record(run.ID), h.Key, k.Due()},
		h.Token, stops, k.Runs().DueRun(run.ID), holdLease.Milliseconds(), k.ReportPrefix()).Slice()
	if err != nil {
		return nil, redis.Unavailable(err)
	}
	if len(out) == 0 {
		return nil, ErrEnded
	}
	return newAttempt(k, "", Entry{Deployment: d, RunID: run.ID, stream: k.Queue()}, out)
}

// ClientFence is the fence of an add-in's hold on its run: another attempt ends the run.
const ClientFence = 1

// Until returns when the lease of a client run ends. Of one that has ended it is when the run did, or now.
func (q *Clients) Until(ctx context.Context, d record.Deployment, run *record.Run) (time.Time, error) {
	now, err := q.db.clock(ctx)
	if err != nil {
		return now, err
	}
	lock := clientLock(q.db.deployment(d), run)
	p := q.db.rdb.Pipeline()
	token, left := p.Get(ctx, lock.Key), p.PTTL(ctx, lock.Key)
	if _, err := p.Exec(ctx); err != nil && !errors.Is(err, redis.Nil) {
		return now, redis.Unavailable(err)
	}
	if token.Val() == lock.Token {
		return now.Add(left.Val()), nil
	}
	if ended, err := time.Parse(time.RFC3339, run.EndedAt); err == nil {
		return ended, nil
	}
	return now, nil
}

// runningError is the refusal of a run because of another one; format takes its id.
func runningError(runID, format string) *placements.Error {
	busy := placements.Errorf(placements.CodeRunning, format, runID)
	busy.Details = []placements.Detail{{Code: busy.Code, Message: busy.Message, RunID: runID}}
	return busy
}
