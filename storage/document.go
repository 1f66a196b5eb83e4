package storage

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	mrand "math/rand/v2"
	"os"
	"strconv"
	"strings"
	"time"

	"mooring/placements"
	"mooring/storage/keys"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// membersScript reads the placements that an index names. All keys lie in the tenant's slot.
//
//	KEYS   the index
//	ARGV   prefix of the tenant's keys, then members "<deployment>:<report>:<slot>"
//	result for each member that still is there: member, definition of its report or "" when the one before has the same, no JSON when it
//	       is lost, record, last run or ""
var membersScript = redis.NewScript(`
local out, before = {}, nil
for i = 2, #ARGV do
  local deployment, report, slot = string.match(ARGV[i], '^(%d+):(%d+):(.*)$')
  local key = ARGV[1] .. 'd:' .. deployment .. ':report:' .. report
  local record = redis.call('HGET', key .. ':placements', 'p:' .. slot)
  if record then
    local definition = ''
    if key ~= before then definition = redis.call('HGET', key, '` + fieldDefinition + `') or 'none' end
    before = key
    local run = redis.call('HGET', key .. ':placements', 'r:' .. slot) or ''
    for _, text in ipairs({ARGV[i], definition, record, run}) do out[#out + 1] = text end
  end
end
return out`)

// DocumentPlacements lists placements of the tenant in a spreadsheet, over all deployments and reports, in a fixed order: at most first of
// them after the cursor of an earlier page, from the start when it is empty. A broken cursor is the *placements.Error CodeCursor.
func (s *Store) DocumentPlacements(
	ctx context.Context, tenant, document, after string, first int,
) (record.Page[record.DocumentPlacement], error) {
	k := s.tenant(tenant)
	by := redis.ZRangeBy{Min: "-", Max: "(=", Count: int64(first) + 1}
	if after != "" {
		last, err := base64.RawURLEncoding.DecodeString(after)
		if err != nil {
			return record.Page[record.DocumentPlacement]{}, placements.Errorf(placements.CodeCursor,
				"after is not a cursor of this list: send an endCursor as it was given.")
		}
		by.Min = "(" + string(last)
	}
	members, err := s.rdb.ZRangeByLex(ctx, k.Document(document), &by).Result()
	if err != nil {
		return record.Page[record.DocumentPlacement]{}, redis.Unavailable(err)
	}
	var p record.Page[record.DocumentPlacement]
	if p.HasNextPage = len(members) > first; p.HasNextPage {
		members = members[:first]
	}
	if len(members) > 0 {
		p.EndCursor = base64.RawURLEncoding.EncodeToString([]byte(members[len(members)-1]))
	}
	p.Items, err = s.loadMembers(ctx, k, members)
	return p, err
}

// reportsIn lists the reports of a deployment that have a placement in a spreadsheet.
func (s *Store) reportsIn(ctx context.Context, d record.Deployment, document string) ([]int64, error) {
	k := s.deployment(d)
	own := strconv.FormatInt(d.ID, 10)
	members, err := s.rdb.ZRangeByLex(ctx, k.Document(document), &redis.ZRangeBy{Min: "[" + own + ":", Max: "(" + own + ";"}).Result()
	if err != nil {
		return nil, redis.Unavailable(err)
	}
	var reports []int64
	for _, m := range members {
		_, report, _, err := splitMember(m)
		if err != nil {
			return nil, err
		}
		if n := len(reports); n == 0 || reports[n-1] != report {
			reports = append(reports, report)
		}
	}
	return reports, nil
}

// loadMembers reads the placements that an index names, in that order. One that went meanwhile is left out, and so is one that cannot be
// read, which is logged: the others in the spreadsheet must not depend on it.
func (s *Store) loadMembers(ctx context.Context, k keys.Tenant, members []string) ([]record.DocumentPlacement, error) {
	if len(members) == 0 {
		return nil, nil
	}
	args := append(make([]any, 0, len(members)+1), k.Prefix)
	for _, m := range members {
		args = append(args, m)
	}
	flat, err := membersScript.Run(ctx, s.rdb, []string{k.Prefix + "doc:"}, args...).StringSlice()
	if err != nil {
		return nil, redis.Unavailable(err)
	}
	loaded := make([]record.DocumentPlacement, 0, len(flat)/4)
	var definition *record.Definition
	for i := 0; i+3 < len(flat); i += 4 {
		if flat[i+1] != "" {
			definition = s.definitionOf(flat[i], flat[i+1])
		}
		p, err := readMember(flat[i], flat[i+2], flat[i+3])
		if err != nil {
			s.log.Error("placement cannot be read", "placement", flat[i], "error", err)
			continue
		}
		p.Definition = definition
		loaded = append(loaded, p)
	}
	return loaded, nil
}

// definitionOf reads the definition of the report of a placement. One that cannot be read is logged and admits who may read all reports:
// its placement still claims its cells.
func (s *Store) definitionOf(member, text string) *record.Definition {
	d := new(record.Definition)
	if err := json.Unmarshal([]byte(text), d); err != nil {
		s.log.Error("definition of a placed report cannot be read", "placement", member, "error", err)
		return new(record.Definition)
	}
	return d
}

func readMember(member, record, run string) (p record.DocumentPlacement, err error) {
	p.Member = member
	var slot string
	if p.DeploymentID, p.ReportID, slot, err = splitMember(member); err != nil {
		return p, err
	}
	placed, err := decodeRecord(slot, record, run)
	if err != nil {
		return p, err
	}
	p.Placement, p.Claim = placed.Placement, placed.Claim
	p.View, err = viewRecord(slot, record, run)
	return p, err
}

// splitMember takes the name of a placement in an index apart.
func splitMember(member string) (deployment, report int64, slot string, err error) {
	parts := strings.SplitN(member, ":", 3)
	if len(parts) != 3 {
		return 0, 0, "", fmt.Errorf("index: %q names no placement", member)
	}
	if deployment, err = parseID(parts[0]); err != nil {
		return 0, 0, "", fmt.Errorf("index: %w", err)
	}
	if report, err = parseID(parts[1]); err != nil {
		return 0, 0, "", fmt.Errorf("index: %w", err)
	}
	return deployment, report, parts[2], nil
}

// renewScript prolongs a lock that still is ours.
//
//	KEYS   lock
//	ARGV   token, ttl ms
//	result 1, or 0 when it is lost
var renewScript = redis.NewScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`)

// documentLease is where a lease's context holds its lock.
type documentLease struct{}

// longestPoll is the longest pause between two looks at a document's lock.
const longestPoll = 100 * time.Millisecond

// LockDocument makes the caller the only writer to a spreadsheet until it calls release, waiting for others as long as ctx lasts: then
// ctx's error. The lock is renewed meanwhile; lease is cancelled, with the cause ErrLockLost, as soon as that may have failed, and the
// caller must write nothing from then on.
func (w *Work) LockDocument(ctx context.Context, tenant, document string) (lease context.Context, release func(), err error) {
	h := hold(w.tenant(tenant).DocumentLock(document))
	h.token += keys.LockOwner + holder()
	if err := w.takeDocument(ctx, h); err != nil {
		return nil, nil, err
	}
	lease, cancel := context.WithCancelCause(context.WithValue(ctx, documentLease{}, h))
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.renew(lease, h, cancel)
	}()
	return lease, func() {
		cancel(context.Canceled)
		<-done
		w.unlock(ctx, h)
	}, nil
}

// takeDocument takes h, with jittered pauses between its tries.
func (w *Work) takeDocument(ctx context.Context, h held) error {
	for pause := time.Millisecond; ; pause = min(2*pause, longestPoll) {
		if _, taken, err := w.tryLock(ctx, h, new(txn)); taken || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause/2 + mrand.N(pause)):
		}
	}
}

// holder names this process to agents that wait for a lock of it.
func holder() string {
	name, err := os.Hostname()
	if err != nil {
		name = "?"
	}
	return fmt.Sprintf("another agent (%s, process %d)", name, os.Getpid())
}

// DocumentWriter names who holds the lock of a spreadsheet: an agent with its host and process id, or an add-in with its run. It is empty
// when none does.
func (w *Work) DocumentWriter(ctx context.Context, tenant, document string) (string, error) {
	token, err := w.rdb.Get(ctx, w.tenant(tenant).DocumentLock(document)).Result()
	if errors.Is(err, redis.Nil) {
		return "", nil
	}
	_, name, _ := strings.Cut(token, keys.LockOwner)
	return name, redis.Unavailable(err)
}

// renew prolongs h three times per lifetime until lease ends, and cancels lease when h may have run out.
func (w *Work) renew(lease context.Context, h held, cancel context.CancelCauseFunc) {
	ticker := time.NewTicker(w.lockTTL / 3)
	defer ticker.Stop()
	renewed := w.now()
	for {
		select {
		case <-lease.Done():
			return
		case <-ticker.C:
		}
		asked := w.now()
		n, err := renewScript.Run(lease, w.rdb, h.keys, h.token, w.lockTTL.Milliseconds()).Int()
		switch {
		case err == nil && n == 1:
			renewed = asked
		case err == nil, w.now().Sub(renewed) > 2*w.lockTTL/3:
			cancel(ErrLockLost)
			return
		}
	}
}
