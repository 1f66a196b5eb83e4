package storage

import (
	"context"
	"sync"

	"mooring/storage/record"
	"mooring/storage/redis"
)

// maxUpserted bounds how many upserted reports a Store remembers.
const maxUpserted = 4096

// upserted remembers reports as this process last upserted them, since a pipeline applies the same ones again and again. What it gives may
// be out of date: the script that writes on it checks that it is not.
type upserted struct {
	mu      sync.RWMutex
	reports map[string]*Report // by deployment and publicId; read only, without placements and marks
}

func (u *upserted) recall(k deploymentKeys, publicID string) (*Report, bool) {
	u.mu.RLock()
	defer u.mu.RUnlock()
	seen, ok := u.reports[k.prefix+publicID]
	if !ok {
		return nil, false
	}
	r := *seen
	return &r, true
}

func (u *upserted) remember(k deploymentKeys, r *Report) {
	bare := *r
	bare.Placements, bare.OnlyShown, bare.Marks, bare.echoes, bare.heldID = nil, nil, Marks{}, "", 0
	bare.Effect = record.Unchanged
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.reports == nil {
		u.reports = map[string]*Report{}
	}
	for old := range u.reports {
		if len(u.reports) < maxUpserted {
			break
		}
		delete(u.reports, old)
	}
	u.reports[k.prefix+r.StoredPublicID] = &bare
}

// upsertAgainScript changes the definition of a report if it still has the publicId and the version that the change was decided on, and
// nobody holds its lock.
//
//	KEYS   index of publicIds, lock of the report, report, placements, then one key a change
//	ARGV   publicId, owner, version, then the args of the changes
//	result {stamp, echo, placements}, or {} and nothing was changed
var upsertAgainScript = redis.NewScript(applyChanges + `
if redis.call('EXISTS', KEYS[2]) == 1 or redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return {} end
local now = redis.call('HMGET', KEYS[3], '` + fieldVersion + `', '` + fieldMarks + `', '` + fieldEcho + `')
if now[1] ~= ARGV[3] then return {} end
applyChanges(5, 4)
return {now[2] or '', now[3] or '', redis.call('HGETALL', KEYS[4])}`)

// upsertAgain updates a report that this process has upserted before, in one step instead of two: it decides on what it saw then. It gives
// nil when that does not do: the report was changed meanwhile, the body places it, or the decision is a refusal, which is not to rest on
// memory.
func (s *Store) upsertAgain(ctx context.Context, k deploymentKeys, publicID string, in record.ReportInput, who record.User, allow func(*Report) error) (*Report, error) {
	r, ok := s.upserted.recall(k, publicID)
	if !ok || allow(r) != nil {
		return nil, nil
	}
	if _, places := connectionOf(&in.SpreadsheetKeys, r); places {
		return nil, nil
	}
	version := r.Version
	var todo changes
	if err := s.redefine(&todo, k, r, in, who); err != nil || todo.err != nil {
		return nil, nil
	}
	cmd := redis.EndKeys(append(redis.Command(k.publicIDs(), k.reportLock(r.ID), k.report(r.ID), k.placements(r.ID)), todo.keys...))
	reply, err := redis.RunScript(ctx, s.hot, upsertAgainScript, append(append(cmd, publicID, k.owner(r.ID), version), todo.args...))
	if err != nil {
		return nil, redis.Unavailable(err)
	}
	out, _ := reply.([]any)
	if len(out) == 0 {
		return nil, nil
	}
	s.upserted.remember(k, r)
	if !todo.none() {
		r.Effect = record.Updated
	}
	s.definitions.keep(k.report(r.ID), r.DefinitionText, r.Definition)
	if err = r.readMarks(redis.Text(out[0]), redis.Text(out[1])); err != nil {
		return nil, err
	}
	r.Placements, err = readPlacements(redis.Pairs(out[2]))
	return r, err
}
