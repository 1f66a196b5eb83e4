package changes

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"mooring/storage/keys"
	"mooring/storage/record"
	"mooring/storage/redis"
)

//go:embed lua/*.lua
var luaFiles embed.FS

// Functions has what Keep calls.
func Functions() redis.Functions {
	return redis.Functions{Names: []string{"keepChange"}, Lua: redis.JoinLua(luaFiles, "keep")}
}

// Keep adds to a transaction what a run changed in the block of a placement. What runs before the last ten changed there is dropped.
func Keep(tx *redis.Txn, k keys.DeploymentKeys, report int64, placement string, c record.BlockChange) error {
	rows := c.Packed
	c.Packed = nil
	text, err := record.Encode(c)
	if err != nil {
		return fmt.Errorf("change by run %s: %w", c.RunID, err)
	}
	tx.Then("keepChange", k.Blocks().Changes(report, placement), c.RunID, text, rows)
	return nil
}

// Drop adds to a transaction that nothing is known any more of what runs changed in the block of a placement.
func Drop(tx *redis.Txn, k keys.DeploymentKeys, report int64, placement string) {
	tx.Then("DEL", k.Blocks().Changes(report, placement))
}

// History reads what runs changed. It is safe for concurrent use.
type History struct {
	rdb        redis.UniversalClient
	partitions int
}

// New returns the history in a storage with that many partitions.
func New(rdb redis.UniversalClient, partitions int) *History { return &History{rdb, partitions} }

// The fields of hashes that scripts spell out: of the placements of a report, and of the changes of a placement.
const (
	placementField = "p:" // + id
	changeField    = "c:" // + run
	rowsField      = "r:" // + run
)

// listScript reads what runs changed in a block.
//
//	KEYS   placements of the report, changes
//	ARGV   field of the placement
//	result {} if there is no such placement; else its field, and of each run, the last one first, its id and Change
var listScript = redis.NewScript(`
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return {} end
local out = {ARGV[1]}
for id in string.gmatch(redis.call('HGET', KEYS[2], 'runs') or '', '%S+') do
  table.insert(out, 2, redis.call('HGET', KEYS[2], 'c:' .. id))
  table.insert(out, 2, id)
end
return out`)

// Changes returns what the last runs that wrote the block of a placement changed there, the last one first. record.ErrNotFound.
func (h *History) Changes(ctx context.Context, d record.Deployment, report int64, placement string) ([]record.BlockChange, error) {
	k := keys.Of(d, h.partitions)
	hashes := []string{k.Placements(report), k.Blocks().Changes(report, placement)}
	out, err := listScript.Run(ctx, h.rdb, hashes, placementField+placement).Slice()
	if err != nil {
		return nil, redis.Unavailable(err)
	}
	if len(out) == 0 || !isID(placement) {
		return nil, record.ErrNotFound
	}
	var list []record.BlockChange
	for pair := range slices.Chunk(redis.List(out)[1:], 2) {
		c, err := readChange(pair[0], pair[1])
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, nil
}

// Change returns what a run changed in the block of a placement, and the rows if they were kept. record.ErrNotFound, also of a run that
// changed nothing there or is not one of the last.
func (h *History) Change(
	ctx context.Context, d record.Deployment, report int64, placement, run string,
) (c record.BlockChange, rows []record.ChangedRow, err error) {
	k, p := keys.Of(d, h.partitions), h.rdb.TxPipeline()
	placed := p.HExists(ctx, k.Placements(report), placementField+placement)
	fields := p.HMGet(ctx, k.Blocks().Changes(report, placement), changeField+run, rowsField+run)
	if _, err := p.Exec(ctx); err != nil {
		return c, nil, redis.Unavailable(err)
	}
	text := redis.List(fields.Val())
	if !placed.Val() || !isID(placement) || text[0] == "" {
		return c, nil, record.ErrNotFound
	}
	if c, err = readChange(run, text[0]); err == nil && c.Kept {
		rows, err = record.UnpackRows([]byte(text[1]))
	}
	return c, rows, err
}

// isID reports whether a slot is the id of a placement: that of one recorded before ids existed begins with \x01.
func isID(slot string) bool { return !strings.HasPrefix(slot, "\x01") }

func readChange(run, text string) (c record.BlockChange, err error) {
	if err = json.Unmarshal([]byte(text), &c); err != nil {
		return c, fmt.Errorf("change by run %s: %w", run, err)
	}
	return c, nil
}
