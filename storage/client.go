package storage

import (
	"context"
	"crypto/rand"
	"fmt"
	"strconv"
	"strings"
	"time"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// A client run is worked on by an add-in, in several requests that any process may answer. Its lease is the lock of its document: while the
// lease lasts, no agent and no other add-in writes there. The run stands in the due set at the moment when the lease ends, so that an agent
// finds a run whose add-in is gone, and ends it.

// ClientLease is how long an add-in has its run, and the document, after it was last heard of.
const ClientLease = 2 * time.Minute

// clientOwner begins the token of a document that an add-in has; the id of its run follows.
const clientOwner = "client:"

// clientLock is the lock of a document that an add-in has for a run: every process can name it.
func (k deploymentKeys) clientLock(runID, document string) held {
	return held{
		keys: []string{k.documentLock(document)}, token: clientOwner + runID + tokenOwner + "an add-in, run " + runID, freed: new(bool),
	}
}

var startClientScript = redis.NewScript(lua("now", "publish", "run", "begin", "start_client"))

// StartClient makes a manual run of one placement that an add-in works on, its Executor ExecutorClient, begins its attempt, and locks the document
// run.ExternalWorkbookID for it. Its id and fire time are set here. limit bounds the run; the lease ends at until. Errors are those of
// Enqueue, with CodeRunning also for the client run that has the document, and ErrBusy while an agent writes to it.
func (q *Queue) StartClient(
	ctx context.Context, d record.Deployment, run *record.Run, limit time.Duration,
) (a *Attempt, until time.Time, err error) {
	k := q.deployment(d)
	now, err := q.Clock(ctx)
	if err != nil {
		return nil, until, err
	}
	run.ID, run.Trigger, run.State, run.FireTime = rand.Text(), record.TriggerManual, placements.RunQueued, placements.Time(now)
	made, err := recordOf(run)
	if err != nil {
		return nil, until, err
	}
	h, lease := k.clientLock(run.ID, run.ExternalWorkbookID), min(limit, ClientLease)
	keys := []string{
		k.run(run.ID), k.reportRuns(run.ReportID), k.report(run.ReportID), k.due(), k.activeRuns(run.ReportID), k.events(), h.keys[0],
	}
	err = q.untilLocked(ctx, func() (bool, error) {
		reply, err := startClientScript.Run(ctx, q.rdb, keys, made.run, run.ID, k.dueRun(run.ID), lease.Milliseconds(),
			run.Target().Field(), k.run(""), run.ReportID, made.event, h.token, k.reportPrefix()).Result()
		if err != nil {
			return false, redis.Unavailable(err)
		}
		out, _ := reply.([]any)
		switch len(out) {
		case 0:
			return false, notEnqueued(reply)
		case 1: // an agent is done with a document in a moment
			return false, hasDocument(redis.Text(out[0]))
		}
		a, err = q.clientAttempt(k, run, out)
		return true, err
	})
	if err != nil {
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
	runID, _, _ := strings.Cut(client, tokenOwner)
	return runningError(runID, "Run %s of an add-in writes to the same spreadsheet and has not ended: wait for it or stop it.")
}

// clientAttempt reads the attempt of a client run that a script has replied.
func (q *Queue) clientAttempt(k deploymentKeys, run *record.Run, out []any) (*Attempt, error) {
	a, err := q.newAttempt(k, "", Entry{Deployment: k.at(), RunID: run.ID, stream: k.queue()}, out)
	if err == nil {
		a.document = k.clientLock(run.ID, run.ExternalWorkbookID)
	}
	return a, err
}

// resumeClientScript loads the attempt of a client run whose lease goes on.
//
//	KEYS   run, lock of the document
//	ARGV   fence, token, prefix of report keys
//	result as of beginRunScript
var resumeClientScript = redis.NewScript(lua("now", "begin") + `
local fence, token, reports = unpack(ARGV)
local fields = redis.call('HMGET', KEYS[1], unpack(beginFields))
if fields[1] ~= 'RUNNING' or fields[3] ~= fence or redis.call('GET', KEYS[2]) ~= token then return {} end
return attempt(fields, tonumber(fence), tostring(now()), fields[4], reports)`)

// ResumeClient returns the attempt of a client run for another step of its add-in, which sent its fence. ErrLockLost: the lease has ended,
// or the run has.
func (q *Queue) ResumeClient(ctx context.Context, d record.Deployment, run *record.Run, fence int64) (*Attempt, error) {
	k := q.deployment(d)
	h := k.clientLock(run.ID, run.ExternalWorkbookID)
	out, err := resumeClientScript.Run(ctx, q.hot, []string{k.run(run.ID), h.keys[0]},
		strconv.FormatInt(fence, 10), h.token, k.reportPrefix()).Slice()
	if err != nil {
		return nil, redis.Unavailable(err)
	}
	if len(out) == 0 {
		return nil, ErrLockLost
	}
	return q.clientAttempt(k, run, out)
}

// Lease returns ctx with the right to write to the document of a client run: see WriteAhead.
func (a *Attempt) Lease(ctx context.Context) context.Context {
	return context.WithValue(ctx, documentLease{}, a.document)
}

// renewClientScript prolongs the lease of a client run, but not beyond its limit.
//
//	KEYS   run, lock of the document, due
//	ARGV   fence, token, lease ms, limit ms, due member
//	result when the lease ends, in ms; "" when it has ended
var renewClientScript = redis.NewScript(lua("now") + `
local fence, token, lease, limit, member = unpack(ARGV)
local fields, at = redis.call('HMGET', KEYS[1], 'state', 'fence', 'startedAt'), now()
if fields[1] ~= 'RUNNING' or fields[2] ~= fence or redis.call('GET', KEYS[2]) ~= token then return '' end
local ends = math.min(at + lease, fields[3] + limit)
if ends <= at then return '' end
ends = string.format('%.0f', ends)
redis.call('PEXPIREAT', KEYS[2], ends)
redis.call('ZADD', KEYS[3], ends, member)
return ends`)

// RenewClient prolongs the lease of a client run, whose add-in sent its fence, and returns when it ends. ErrLockLost: it has ended.
func (q *Queue) RenewClient(
	ctx context.Context, d record.Deployment, run *record.Run, fence int64, limit time.Duration,
) (until time.Time, err error) {
	k := q.deployment(d)
	h := k.clientLock(run.ID, run.ExternalWorkbookID)
	ends, err := renewClientScript.Run(ctx, q.hot, []string{k.run(run.ID), h.keys[0], k.due()},
		strconv.FormatInt(fence, 10), h.token, ClientLease.Milliseconds(), limit.Milliseconds(), k.dueRun(run.ID)).Text()
	if err != nil {
		return until, redis.Unavailable(err)
	}
	if ends == "" {
		return until, ErrLockLost
	}
	return unixMilli(ends), nil
}

// takeClientScript takes a client run from its add-in: when it is to stop, or when its lease has ended.
//
//	KEYS   run, lock of the document, due
//	ARGV   token, 1 to stop the run, due member, lease ms, prefix of report keys
//	result as of beginRunScript
var takeClientScript = redis.NewScript(lua("now", "begin") + `
local run, lock, due = unpack(KEYS)
local token, stop, member, lease, reports = unpack(ARGV)
local holds = redis.call('GET', lock) == token
if redis.call('HGET', run, 'state') ~= 'RUNNING' or (holds and stop ~= '1') then return {} end
if holds then redis.call('DEL', lock) end
if stop == '1' then redis.call('HSET', run, 'stop', 1) end
redis.call('ZADD', due, now() + lease, member)
return startAttempt(run, redis.call('HMGET', run, unpack(beginFields)), reports)`)

// TakeClient begins an attempt that is to end a client run, and frees its document: at once if it is to stop, else only if the lease of its
// add-in has ended. ErrEnded: there is nothing to end. If the caller dies, an agent ends the run.
func (q *Queue) TakeClient(ctx context.Context, d record.Deployment, run *record.Run, stop bool) (*Attempt, error) {
	k := q.deployment(d)
	h, stops := k.clientLock(run.ID, run.ExternalWorkbookID), 0
	if stop {
		stops = 1
	}
	out, err := takeClientScript.Run(ctx, q.rdb, []string{k.run(run.ID), h.keys[0], k.due()},
		h.token, stops, k.dueRun(run.ID), holdLease.Milliseconds(), k.reportPrefix()).Slice()
	if err != nil {
		return nil, redis.Unavailable(err)
	}
	if len(out) == 0 {
		return nil, ErrEnded
	}
	return q.newAttempt(k, "", Entry{Deployment: d, RunID: run.ID, stream: k.queue()}, out)
}

// runningError is the refusal of a run because of another one; format takes its id.
func runningError(runID, format string) *placements.Error {
	busy := placements.Errorf(placements.CodeRunning, format, runID)
	busy.Details = []placements.Detail{{Code: busy.Code, Message: busy.Message, RunID: runID}}
	return busy
}

// clientRunError says of which run an error is.
func clientRunError(run *record.Run, err error) error {
	return fmt.Errorf("client run %s: %w", run.ID, err)
}
