package storage

import (
	"context"
	"slices"
	"strings"
	"time"

	"mooring/checksum"
	"mooring/placements"
	"mooring/storage/keys"
	"mooring/storage/queue"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// BlockQuery asks for the block of a placement. Known is the placement as the caller last saw it: as long as it still stands there,
// one round trip answers. Size is that of the block which the caller wants to write.
type BlockQuery struct {
	Deployment record.Deployment
	ReportID   int64
	Known      Placed
	Size       checksum.Extent
}

// Block is what is recorded of a placement's block.
type Block struct {
	Placed Placed
	Found  bool // false: the placement is not there any more, and the rest is empty
	Rows   Rows
	// Newer are the placements that have claimed a cell of the block to write since this one was last connected or rewritten. Who
	// wrote last owns the cells, so a run must not write the block while there are any (decisions.md §6).
	Newer []record.DocumentPlacement
}

// blocksScript reads the blocks of placements.
var blocksScript = redis.NewScript(lua("overlapping", "blocks"))

// scriptBlocks is the most blocks that one script deals with: their rows may be large, and others wait for the server meanwhile.
const scriptBlocks = 64

// Blocks loads the blocks that list asks for, which are all of that tenant, in list's order. A caller that is going to write them
// holds the lock of their document.
func (w *Work) Blocks(ctx context.Context, tenant string, list []BlockQuery) ([]Block, error) {
	blocks := make([]Block, len(list))
	cells := make([][]string, len(list))
	todo := make([]int, len(list)) // of list
	for i := range list {
		todo[i] = i
	}
	for len(todo) > 0 {
		moved, err := w.readBlocks(ctx, list, todo, blocks, cells)
		if err != nil {
			return nil, err
		}
		list = slices.Clone(list)
		for _, i := range moved {
			list[i].Known = blocks[i].Placed
		}
		todo = moved
	}
	return blocks, w.newerOwners(ctx, w.tenant(tenant), list, blocks, cells)
}

// readBlocks reads the blocks of list that todo names, and the members of the cell indexes that meet each. moved are those that stand
// elsewhere than was known, so that others may be in their way.
func (w *Work) readBlocks(ctx context.Context, list []BlockQuery, todo []int, blocks []Block, cells [][]string) (moved []int, err error) {
	for some := range slices.Chunk(todo, scriptBlocks) {
		cmd := redis.Command()
		for _, i := range some {
			cmd = w.blockKeys(cmd, list[i])
		}
		cmd = redis.EndKeys(cmd)
		for _, i := range some {
			cmd = w.blockArgs(cmd, list[i])
		}
		out, err := redis.RunScript(ctx, w.rdb, blocksScript, cmd)
		if err != nil {
			return nil, redis.Unavailable(err)
		}
		replies, _ := out.([]any)
		for n, i := range some {
			if blocks[i], cells[i], err = readBlock(list[i].Known.position().slot, replies[n]); err != nil {
				return nil, err
			}
			if now := &blocks[i]; now.Found && now.Placed.position().key != list[i].Known.position().key {
				moved = append(moved, i)
			}
		}
	}
	return moved, nil
}

func (w *Work) blockKeys(cmd []any, want BlockQuery) []any {
	k, report, at := w.deployment(want.Deployment), want.ReportID, want.Known.position()
	cmd = append(cmd, k.Placements(report), k.Rows(report, at.slot), k.WriteAheadRows(report, at.slot))
	cmd = append(cmd, k.Edits(report, at.slot), k.ReturnedEdits(report, at.slot))
	return overlapKeys(k.Tenant, cmd, at.sheet())
}

func (w *Work) blockArgs(cmd []any, want BlockQuery) []any {
	at := want.Known.position()
	rect := placements.Rect{
		Top: at.Anchor.Row, Left: at.Anchor.Column,
		Bottom: at.Anchor.Row + max(want.Size.Rows, 1) - 1, Right: at.Anchor.Column + max(want.Size.Columns, 1) - 1,
	}
	return append(cmd, at.slot, w.deployment(want.Deployment).cellMember(want.ReportID, at), overlapBegin(rect),
		padded(rect.Top, rowDigits), padded(rect.Bottom, rowDigits), padded(rect.Left, columnDigits), padded(rect.Right, columnDigits))
}

// readBlock reads what blocksScript replies of one block.
func readBlock(slot string, reply any) (b Block, cells []string, err error) {
	fields, _ := reply.([]any)
	if len(fields) == 0 {
		return Block{}, nil, nil
	}
	b.Found = true
	if b.Placed, err = decodeRecord(slot, redis.Text(fields[0]), redis.Text(fields[2])); err != nil {
		return Block{}, nil, err
	}
	_, b.Placed.Rev, _ = strings.Cut(redis.Text(fields[1]), "\t")
	b.Rows = Rows{Completed: blob(fields[3]), Begun: blob(fields[4])}
	b.Rows.Edits, err = decodeEdits(slot, redis.Text(fields[5]), redis.List(fields[6]))
	return b, redis.List(fields[7]), err
}

// newerOwners finds, among the members of the cell indexes that meet each block, those that claimed their cells later. They are read
// in one round trip, if there are any: that is rare.
func (w *Work) newerOwners(ctx context.Context, k keys.Tenant, list []BlockQuery, blocks []Block, cells [][]string) error {
	all := slices.Concat(cells...)
	if len(all) == 0 {
		return nil
	}
	slices.Sort(all)
	loaded, err := w.records.loadCells(ctx, k, slices.Compact(all))
	if err != nil {
		return err
	}
	for i := range blocks {
		p, self := &blocks[i].Placed, w.deployment(list[i].Deployment).indexed(list[i].ReportID, list[i].Known.position().slot)
		for _, o := range loaded {
			claimedLater := o.Claim > p.Claim || o.Claim == p.Claim && o.Member > self
			if claimedLater && slices.ContainsFunc(cells[i], func(cell string) bool { return memberOf(cell) == o.Member }) {
				blocks[i].Newer = append(blocks[i].Newer, o)
			}
		}
	}
	return nil
}

// loadCells reads the placements that a cell index names.
func (s *Store) loadCells(ctx context.Context, k keys.Tenant, cells []string) ([]record.DocumentPlacement, error) {
	members := make([]string, len(cells))
	for i, cell := range cells {
		members[i] = memberOf(cell)
	}
	slices.Sort(members) // by report, as a spreadsheet's list is
	return s.loadMembers(ctx, k, members)
}

// memberOf is the name of a placement in the index of its spreadsheet: what a member of a cell index has after the rectangle.
func memberOf(cell string) string {
	parts := strings.SplitN(cell, ":", 4)
	if len(parts) < 4 {
		return ""
	}
	return parts[3]
}

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
	Attempt     *queue.Attempt
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
func (w *Work) WriteAhead(lease context.Context, list []WriteAhead) (noted []bool, err error) {
	h, ok := lease.Value(documentLease{}).(held)
	if !ok {
		return nil, ErrLockLost
	}
	for some := range slices.Chunk(list, scriptBlocks) {
		more, err := w.writeAhead(lease, h, some)
		if err != nil {
			return nil, err
		}
		noted = append(noted, more...)
	}
	return noted, nil
}

func (w *Work) writeAhead(ctx context.Context, h held, list []WriteAhead) ([]bool, error) {
	cmd := redis.Command(h.keys[0])
	for _, i := range list {
		k := w.deployment(i.Attempt.Deployment)
		cmd = append(cmd, k.Run(i.Attempt.Run.ID), k.WriteAheadRows(i.Attempt.Run.ReportID, i.PlacementID))
	}
	cmd = append(redis.EndKeys(cmd), h.token, writeAheadAge.Milliseconds())
	for _, i := range list {
		cmd = append(cmd, i.Attempt.Fence, i.Rows)
	}
	out, err := redis.RunScript(ctx, w.rdb, writeAheadScript, cmd)
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
