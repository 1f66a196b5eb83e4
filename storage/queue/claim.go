package queue

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/record/lifecycle"
	"mooring/storage/redis"
	"mooring/storage/standing"
)

// What waits is the document, never the run: the newest run of agents that wants a placement takes over what an older one still waits for.
// Which run wants a placement stands beside the placement until the run is done with it; what was taken from a run stands in its hash until
// its next attempt settles it.

// FieldWanted is the field of a report's placements hash that has, before the id of a placement, the run that wants it.
const FieldWanted = "w:"

// ErrTaken says that a newer run has taken over a placement of the attempt's run since that was read, or another one wants what is to wait in
// it, or that is gone. See Attempt.Taken, Attempt.Wanted and Queue.ReadAgain.
var ErrTaken = errors.New("another run wants a placement now")

// Wanted is the run that wants a placement, as far as the attempt knows; empty: none does.
func (a *Attempt) Wanted(placementID string) string { return a.Placements[FieldWanted+placementID] }

// Taken is the newer run that has taken over a placement; empty: none has.
func (a *Attempt) Taken(placementID string) (by string) { return a.taken.by[placementID] }

// fieldTaken is the field of a run's hash that has what was taken over from it.
const fieldTaken = "taken"

// takenOver is what was taken over from a run: as text, lines with a placement and, behind a tab, the newer run that has taken it over. Of
// several lines on one placement the last one counts.
type takenOver struct {
	text string
	by   map[string]string
}

func readTakenOver(text string) takenOver {
	t := takenOver{text, map[string]string{}}
	for line := range strings.Lines(text) {
		id, run, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		t.by[id] = run
	}
	return t
}

// Same adds the conditions that no other placement of the run was taken over since that was read, and that what waits in it is wanted by the same
// runs, and returns how many they are.
func (a *Attempt) Same(tx *redis.Txn) (conditions int) {
	tx.If(a.taken.text, "HGET", a.keys.Runs().Record(a.Run.ID), fieldTaken)
	conditions = 1
	for _, p := range a.Run.Placements {
		if lifecycle.Waits(p.State) {
			tx.If(a.Wanted(p.PlacementID), "HGET", a.keys.Placements(a.Run.ReportID), FieldWanted+p.PlacementID)
			conditions++
		}
	}
	return conditions
}

// ReadAgain reads the report, its placements, which runs want them, and what was taken over from the run, as they are now.
func (q *Queue) ReadAgain(ctx context.Context, a *Attempt) error {
	p := q.db.rdb.Pipeline()
	report, placed := p.HGetAll(ctx, a.keys.Report(a.Run.ReportID)), p.HGetAll(ctx, a.keys.Placements(a.Run.ReportID))
	site := p.HGet(ctx, a.keys.Sites(), placements.LinkID(a.Run.ExternalWorkbookID))
	if _, err := p.Exec(ctx); err != nil && !errors.Is(err, redis.Nil) {
		return redis.Unavailable(err)
	}
	a.Report, a.Placements, a.Site = report.Val(), placed.Val(), site.Val()
	return q.readTaken(ctx, a)
}

// readTaken reads what was taken over from the run.
func (q *Queue) readTaken(ctx context.Context, a *Attempt) error {
	text, err := q.db.rdb.HGet(ctx, a.keys.Runs().Record(a.Run.ID), fieldTaken).Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		return redis.Unavailable(err)
	}
	a.taken = readTakenOver(text)
	return nil
}

// RivalRun is another run that wants a placement.
type RivalRun struct {
	*record.Run
	Place string // see Attempt
	Fence string // of its attempt
}

// Waits reports whether the run has begun, and waits for its next attempt, which queries anew.
func (r RivalRun) Waits() bool { return lifecycle.Waits(r.State) && r.Attempt > 0 }

// Rivals reads runs, without those that have ended or are forgotten.
func (q *Queue) Rivals(ctx context.Context, d record.Deployment, ids []string) (map[string]RivalRun, error) {
	k, p := q.db.deployment(d), q.db.rdb.Pipeline()
	hashes := make([]*redis.MapStringStringCmd, len(ids))
	for i, id := range ids {
		hashes[i] = p.HGetAll(ctx, k.Runs().Record(id))
	}
	if _, err := p.Exec(ctx); err != nil {
		return nil, redis.Unavailable(err)
	}
	rivals := map[string]RivalRun{}
	for i, id := range ids {
		run, err := liveRun(id, hashes[i].Val())
		switch {
		case errors.Is(err, record.ErrNotFound):
		case err != nil:
			return nil, err
		case run.EndedAt == "":
			rivals[id] = RivalRun{run, hashes[i].Val()["place"], hashes[i].Val()["fence"]}
		}
	}
	return rivals, nil
}

// Claim says that the attempt refreshes a placement from now on.
type Claim struct {
	PlacementID string
	Takes       bool              // the run is the one that wants it from now on; from an older one that waits for it, it is taken
	Seen        string            // fence of the run that wanted it, as that was read; empty: none did that has not ended
	Waited      placements.Reason // what it waited for before, and since when
	Since       string
}

// MaxClaims bounds the claims that are made at once: a script that makes more would hold up everything else.
const MaxClaims = 500

var claimScript = redis.NewScript(Lua("publish", "offer", "wake") + standing.Lua() + Lua("claim"))

// Claim shows placements as being refreshed by the run, until the attempt is completed, and takes over those that older runs wait for. One
// that is not there any more is left out. With store, the run's record is stored as it is now. ok is false when another run wants one of
// them now, or works on it, or a newer one has taken something over from the run: a knows both, and nothing was changed. ErrLockLost: another
// attempt has begun. The list has at most MaxClaims.
func (q *Queue) Claim(ctx context.Context, a *Attempt, list []Claim, store bool) (ok bool, err error) {
	keys, argv, err := a.claims(list, store)
	if err != nil {
		return false, err
	}
	for _, c := range list {
		if c.Takes {
			a.wants[c.PlacementID] = true // even if the answer is lost
		}
	}
	n, err := claimScript.Run(ctx, q.db.hot, keys, argv...).Int()
	switch {
	case err != nil:
		return false, redis.Unavailable(err)
	case n < 0:
		return false, redis.ErrLockLost
	case n == 0:
		return false, errors.Join(q.readWanted(ctx, a, list), q.readTaken(ctx, a))
	}
	a.told = true
	for _, c := range list {
		if c.Takes {
			a.Placements[FieldWanted+c.PlacementID] = a.Run.ID
		}
	}
	return true, nil
}

// claims are the keys and arguments of claimScript.
func (a *Attempt) claims(list []Claim, store bool) (keys []string, argv []any, err error) {
	k, run := a.keys, a.Run
	made, err := recordOf(run)
	if err != nil {
		return nil, nil, err
	}
	if !store {
		made.run = ""
	}
	if a.told {
		made.event = ""
	}
	keys = []string{k.Runs().Record(run.ID), k.Placements(run.ReportID), k.Events(), k.Standing(), k.Due(), k.Queue()}
	argv = []any{a.Fence, run.ID, run.ReportID, made.event, made.run, a.Deployment.Tenant, a.Deployment.ID, a.taken.text}
	for _, c := range list {
		last, err := record.Encode(placements.LastRun{
			RunID: run.ID, State: placements.RunRunning, Attempt: run.Attempt, StartedAt: run.StartedAt, Reason: c.Waited, Since: c.Since,
		})
		if err != nil {
			return nil, nil, err
		}
		from, takes := a.Wanted(c.PlacementID), 0
		if c.Takes {
			takes = 1
		}
		keys = append(keys, k.Runs().Record(from))
		argv = append(argv, c.PlacementID, last, takes, from, c.Seen, k.Runs().DueRun(from))
	}
	return keys, argv, nil
}

// readWanted reads which runs want placements now.
func (q *Queue) readWanted(ctx context.Context, a *Attempt, list []Claim) error {
	fields := make([]string, len(list))
	for i, c := range list {
		fields[i] = FieldWanted + c.PlacementID
	}
	now, err := q.db.rdb.HMGet(ctx, a.keys.Placements(a.Run.ReportID), fields...).Result()
	if err != nil {
		return redis.Unavailable(err)
	}
	if len(now) != len(fields) {
		return fmt.Errorf("run %s: %d of %d fields were read", a.Run.ID, len(now), len(fields))
	}
	for i, value := range now {
		a.Placements[fields[i]] = redis.Text(value)
	}
	return nil
}

// markRunningScript shows placements as being refreshed, and publishes that a run has started.
//
//	KEYS   placements of the report, events, standing
//	ARGV   LastRun JSON, report id, event data, placement ids…
var markRunningScript = redis.NewScript(Lua("publish") + standing.Lua() + `
publish(KEYS[2], 'run.started', ARGV[2], ARGV[3])
for i = 4, #ARGV do
  if redis.call('HEXISTS', KEYS[1], 'p:' .. ARGV[i]) == 1 then
    redis.call('HSET', KEYS[1], 'r:' .. ARGV[i], ARGV[1])
    standRefreshing(KEYS[3], ARGV[2], ARGV[i])
  end
end
return 1`)

// MarkRunning shows the placements as being refreshed by the run of an add-in, until the attempt is completed. One that is not there any
// more is left out. Nothing is taken over from other runs: see Claim for those of agents.
func (q *Queue) MarkRunning(ctx context.Context, d record.Deployment, run *record.Run, placementIDs []string) error {
	text, err := record.Encode(placements.LastRun{
		RunID: run.ID, State: placements.RunRunning, Attempt: run.Attempt, StartedAt: run.StartedAt,
	})
	event, err2 := runEvent(run)
	if err = errors.Join(err, err2); err != nil {
		return err
	}
	argv := []any{text, run.ReportID, event}
	for _, id := range placementIDs {
		argv = append(argv, id)
	}
	k := q.db.deployment(d)
	err = markRunningScript.Run(ctx, q.db.hot, []string{k.Placements(run.ReportID), k.Events(), k.Standing()}, argv...).Err()
	return redis.Unavailable(err)
}
