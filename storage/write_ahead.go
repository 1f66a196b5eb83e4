package storage

import (
	"context"
	"slices"
	"time"

	"mooring/storage/record"
	"mooring/storage/redis"
)

// Rows is what is remembered of the rows of a placement's block.
type Rows struct {
	Completed []byte        // fingerprints that the last completed write left; nil when there are none
	Begun     []byte        // fingerprints that a write which was not completed may have left; nil when there is none
	Edits     []record.Edit // of the last completed run as far as they are listed, with Returned as of now
}

// blob is a value of a script's reply that is no text, nil when there is none.
func blob(v any) []byte {
	s, ok := v.(string)
	if !ok {
		return nil
	}
	return []byte(s)
}

// writeAheadAge is how long a write-ahead record counts whose attempt was never completed.
const writeAheadAge = 30 * 24 * time.Hour

// WriteAhead is what an attempt is about to write to the block of a placement.
type WriteAhead struct {
	Attempt     *Attempt
	PlacementID string
	Rows        []byte // the fingerprints; Rows.Begun of the next attempt
}

// writeAheadScript notes what attempts are about to write, if they still may.
//
//	KEYS   lock of the document, then for each: run, rows begun
//	ARGV   token, age ms, then for each: fence, rows
//	result for each 1, or 0 when another attempt has begun; {} when the lock was lost
var writeAheadScript = redis.NewScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return {} end
local out = {}
for i = 1, (#KEYS - 1) / 2 do
  local run = redis.call('HMGET', KEYS[2 * i], 'fence', 'state')
  if run[1] == ARGV[2 * i + 1] and run[2] == 'RUNNING' then
    redis.call('SET', KEYS[2 * i + 1], ARGV[2 * i + 2], 'PX', ARGV[2])
    out[i] = 1
  else
    out[i] = 0
  end
end
return out`)

// WriteAhead records, right before a write, what attempts are about to leave in a document. If this process dies before they are completed,
// the next attempt knows the rows for Mooring's own. lease is that of LockDocument. noted is as long as list: what is not noted must not be
// written, since another attempt of its run has begun. ErrLockLost: nothing must be written any more.
func (q *Queue) WriteAhead(lease context.Context, list []WriteAhead) (noted []bool, err error) {
	h, ok := lease.Value(documentLease{}).(held)
	if !ok {
		return nil, ErrLockLost
	}
	for some := range slices.Chunk(list, scriptBlocks) {
		more, err := q.writeAhead(lease, h, some)
		if err != nil {
			return nil, err
		}
		noted = append(noted, more...)
	}
	return noted, nil
}

func (q *Queue) writeAhead(ctx context.Context, h held, list []WriteAhead) ([]bool, error) {
	cmd := redis.Command(h.keys[0])
	for _, i := range list {
		k := q.deployment(i.Attempt.entry.Deployment)
		cmd = append(cmd, k.run(i.Attempt.Run.ID), k.writeAheadRows(i.Attempt.Run.ReportID, i.PlacementID))
	}
	cmd = append(redis.EndKeys(cmd), h.token, writeAheadAge.Milliseconds())
	for _, i := range list {
		cmd = append(cmd, i.Attempt.fence, i.Rows)
	}
	out, err := redis.RunScript(ctx, q.rdb, writeAheadScript, cmd)
	if err != nil {
		return nil, redis.Unavailable(err)
	}
	reply, _ := out.([]any)
	if len(reply) != len(list) {
		return nil, ErrLockLost
	}
	noted := make([]bool, len(list))
	for i := range list {
		noted[i] = reply[i] == int64(1)
	}
	return noted, nil
}
