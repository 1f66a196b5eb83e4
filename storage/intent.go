package storage

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

// Rows is what is remembered of the rows of a placement's block.
type Rows struct {
	Settled  []byte // fingerprints that the last settled write left; nil when there are none
	Intended []byte // fingerprints that a write which was not settled may have left; nil when there is none
	Edits    []Edit // of the last settled run as far as they are listed, with Returned as of now
}

// Rows returns what is remembered of a placement's rows.
func (s *Store) Rows(ctx context.Context, d Deployment, reportID int64, placementID string) (Rows, error) {
	k := s.deployment(d)
	values, err := s.rdb.MGet(ctx,
		k.rows(reportID, placementID), k.intendedRows(reportID, placementID), k.edits(reportID, placementID)).Result()
	if err != nil {
		return Rows{}, unavailable(err)
	}
	bytes := func(v any) []byte {
		text, ok := v.(string)
		if !ok {
			return nil
		}
		return []byte(text)
	}
	rows := Rows{Settled: bytes(values[0]), Intended: bytes(values[1])}
	edits := text(values[2])
	if edits == "" {
		return rows, nil
	}
	returned, err := s.rdb.SMembers(ctx, k.returnedEdits(reportID, placementID)).Result()
	if err != nil {
		return Rows{}, unavailable(err)
	}
	rows.Edits, err = decodeEdits(placementID, edits, returned)
	return rows, err
}

// intentAge is how long an intent counts that no attempt ever settled.
const intentAge = 30 * 24 * time.Hour

// intendScript notes what an attempt is about to write, if it still may.
//
//	KEYS   run, lock of the document, intended rows
//	ARGV   fence, token, fingerprints, age ms
//	result 1; 0 when another attempt has begun or the lock was lost
var intendScript = redis.NewScript(`
if redis.call('HGET', KEYS[1], 'fence') ~= ARGV[1] or redis.call('HGET', KEYS[1], 'state') ~= 'RUNNING' then return 0 end
if redis.call('GET', KEYS[2]) ~= ARGV[2] then return 0 end
redis.call('SET', KEYS[3], ARGV[3], 'PX', ARGV[4])
return 1`)

// Intend says, right before the write, which fingerprints an attempt is about to leave. If it dies before it settles, the next attempt knows the
// rows for Mooring's own. lease is that of LockDocument. ErrLockLost: the attempt must not write any more.
func (s *Store) Intend(lease context.Context, a *RunAttempt, placementID string, fingerprints []byte) error {
	h, ok := lease.Value(documentLease{}).(held)
	if !ok {
		return ErrLockLost
	}
	k := s.deployment(a.entry.Deployment)
	n, err := intendScript.Run(lease, s.rdb,
		[]string{k.run(a.Run.ID), h.keys[0], k.intendedRows(a.Run.ReportID, placementID)},
		a.fence, h.token, fingerprints, intentAge.Milliseconds()).Int()
	if err == nil && n == 0 {
		err = ErrLockLost
	}
	return unavailable(err)
}
