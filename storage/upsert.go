package storage

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// lockNamedScript takes the lock of a name and, when an asset has the name, the asset's lock, and loads the asset, all in one step. Which
// branch of an upsert the name asks for can therefore not change any more once it succeeds.
//
//	KEYS   lock of the name, index of names, ids, [set of assets that show the name without having stored it]
//	ARGV   token, ttl ms, name, owner prefix, record prefix, lock prefix, kind of asset, expected branch
//	       (an id, or 'new', or '' when none was chosen yet)
//	result {'foreign', owner}                  the name belongs to another deployment
//	       {'ambiguous'}                       several assets show it
//	       {'changed'}                         the branch is not the expected one
//	       {'busy'|'locked', id, record, placements}   there is such an asset
//	       {'busy'|'locked', 'new', new id}            there is none; no id while busy
var lockNamedScript = redis.NewScript(`
local owner = redis.call('HGET', KEYS[2], ARGV[3])
local id = 'new'
if owner then
  if string.sub(owner, 1, #ARGV[4]) ~= ARGV[4] then return {'foreign', owner} end
  id = string.sub(owner, #ARGV[4] + 1)
elseif KEYS[4] then
  local shown = redis.call('SCARD', KEYS[4])
  if shown > 1 then return {'ambiguous'} end
  if shown == 1 then id = redis.call('SMEMBERS', KEYS[4])[1] end
end
if ARGV[8] ~= '' and ARGV[8] ~= id then return {'changed'} end

local state = 'locked'
if not redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
  state = 'busy'
elseif id ~= 'new' and not redis.call('SET', ARGV[6] .. id, ARGV[1], 'NX', 'PX', ARGV[2]) then
  redis.call('DEL', KEYS[1])
  state = 'busy'
end
if id ~= 'new' then
  local record = ARGV[5] .. id
  return {state, id, redis.call('HGETALL', record), redis.call('HGETALL', record .. ':placements')}
end
if state == 'busy' then return {state, id} end
return {state, id, redis.call('HINCRBY', KEYS[3], ARGV[7], 1)}`)

// named says where assets of a kind are found by name.
type named struct {
	kind, name   string
	lock, index  string
	shown        string // key of the set of assets that show the name; empty: the kind has none
	recordPrefix string
	lockPrefix   string
}

// found is what a name leads to.
type found struct {
	id     int64 // of the asset, or the one given out for a new one
	exists bool
	record map[string]string
	placed map[string]string
}

// lockNamed takes the locks of an upsert. choose is the access check, which chooses the branch: it is asked at once, with what the
// name leads to now, even when others hold the lock. When the locks are ours and the name leads elsewhere, it is upsert_branch_changed.
// choose is asked again under the locks.
func (s *Store) lockNamed(ctx context.Context, k deploymentKeys, n named, choose func(found) error) (held, found, error) {
	h := hold()
	var f found
	branch := ""
	err := s.untilLocked(ctx, func() (bool, error) {
		state, at, err := s.tryNamed(ctx, k, n, h, branch)
		if err != nil {
			return false, err
		}
		f = at
		if state == "locked" {
			h.keys = n.locks(f)
			return true, nil
		}
		if branch != "" {
			return false, nil
		}
		branch = "new"
		if f.exists {
			branch = strconv.FormatInt(f.id, 10)
		}
		return false, choose(f)
	})
	if err != nil {
		return held{}, found{}, err
	}
	if err := s.step("locked"); err != nil {
		return held{}, found{}, err
	}
	if err := choose(f); err != nil {
		s.unlock(ctx, h)
		return held{}, found{}, err
	}
	return h, f, nil
}

// maybeNamed is h with what lockNamedScript may have locked when its answer was lost.
func (s *Store) maybeNamed(ctx context.Context, k deploymentKeys, n named, h held) held {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	var f found
	owner, _, _ := claimed(ctx, s.rdb, n.index, n.name)
	f.id, f.exists = k.owned(owner)
	h.keys = n.locks(f)
	return h
}

// locks lists what lockNamedScript locked.
func (n named) locks(f found) []string {
	if !f.exists {
		return []string{n.lock}
	}
	return []string{n.lock, n.lockPrefix + strconv.FormatInt(f.id, 10)}
}

// tryNamed runs lockNamedScript once.
func (s *Store) tryNamed(ctx context.Context, k deploymentKeys, n named, h held, branch string) (state string, f found, err error) {
	keys := []string{n.lock, n.index, k.ids()}
	if n.shown != "" {
		keys = append(keys, n.shown)
	}
	out, err := lockNamedScript.Run(ctx, s.hot, keys, h.token, s.lockTTL.Milliseconds(), n.name, k.ownerPrefix(),
		n.recordPrefix, n.lockPrefix, n.kind, branch).Slice()
	if err != nil {
		s.unlockUnsure(ctx, s.maybeNamed(ctx, k, n, h))
		return "", f, redis.Unavailable(err)
	}
	state, _ = out[0].(string)
	switch state {
	case "foreign":
		owner, _ := out[1].(string)
		return state, f, k.publicIDTaken(owner, n.name)
	case "ambiguous":
		return state, f, ambiguous(n.name)
	case "changed":
		return state, f, branchChanged(n)
	}
	return state, readFound(out), nil
}

func ambiguous(publicID string) error {
	return placements.Errorf(placements.CodeAmbiguous, "Several reports show the id %s, and nothing was changed: "+
		"assign a publicId of your choice to each by updating it by its id, then use that.", publicID)
}

func branchChanged(n named) error {
	return placements.Errorf(placements.CodeBranchChanged,
		"The %s %s was created or deleted at the same moment, and nothing was changed: send the request again.", n.kind, n.name)
}

// readFound reads the rows {state, id, record, placements} and {state, 'new', new id}.
func readFound(out []any) (f found) {
	id, _ := out[1].(string)
	if id == "new" {
		if len(out) > 2 {
			f.id, _ = out[2].(int64)
		}
		return f
	}
	f.id, _ = parseID(id)
	f.exists, f.record, f.placed = true, redis.Pairs(out[2]), redis.Pairs(out[3])
	return f
}

// UpsertReport creates a report with this publicId or updates the one that has it (interface.md, Create or update a report by publicId).
// A report that only shows the id, because it was synthesized, adopts it. allow is the access check: it sees the report to update, or nil
// to create one, may be asked again under the lock, and its error is returned as it is. Other errors: *placements.Error.
func (s *Store) UpsertReport(ctx context.Context, d Deployment, publicID string, in record.ReportInput, who record.Actor, allow func(*Report) error) (*Report, error) {
	if code, fault := record.PublicIDFault(publicID); fault != "" {
		return nil, &placements.Error{Code: code, Message: fault}
	}
	if in.PublicID.Sent && in.PublicID.OrZero() != publicID {
		message := fmt.Sprintf("The path says %s: send the same publicId, or none.", publicID)
		return nil, invalid(placements.CodePublicIDFixed, "/publicId", message)
	}
	k := s.deployment(d)
	if r, err := s.upsertAgain(ctx, k, publicID, in, who.User(), allow); r != nil || err != nil {
		return r, err
	}
	r, err := s.upsertNamed(ctx, k, publicID, in, who, allow)
	if err != nil {
		return nil, err
	}
	s.upserted.remember(k, r)
	return r, nil
}

// upsertNamed is UpsertReport under the locks of the publicId and the report.
func (s *Store) upsertNamed(ctx context.Context, k deploymentKeys, publicID string, in record.ReportInput, who record.Actor, allow func(*Report) error) (*Report, error) {
	n := named{
		kind: "report", name: publicID, lock: k.publicIDLock(publicID), index: k.publicIDs(), shown: k.synthesized(publicID),
		recordPrefix: k.reportPrefix(), lockPrefix: k.reportLockPrefix(),
	}
	var r *Report
	h, f, err := s.lockNamed(ctx, k, n, func(f found) (err error) {
		if r = nil; f.exists {
			if r, err = s.readReport(k, f.id, f.record, f.placed); err != nil {
				return err
			}
		}
		return allow(r)
	})
	if err != nil {
		return nil, err
	}
	defer s.unlock(ctx, h)
	if !f.exists {
		r, todo, err := s.newReport(k, f.id, publicID, in, who)
		if err != nil {
			return nil, err
		}
		return r, s.commitReport(ctx, h, todo, k, r)
	}
	var todo changes
	if r.StoredPublicID == "" {
		adopt(&todo, k, r, publicID)
	}
	return r, s.applyAndCommit(ctx, h, todo, k, r, in, who)
}
