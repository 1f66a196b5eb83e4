package work

import (
	"context"
	"embed"
	"slices"
	"strings"

	"mooring/checksum"
	"mooring/placements"
	"mooring/storage/engine"
	"mooring/storage/keys"
	"mooring/storage/layout"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// BlockQuery asks for the block of a placement. Known is the placement as the caller last saw it: as long as it still stands there,
// one round trip answers. Size is that of the block which the caller wants to write.
type BlockQuery struct {
	Deployment record.Deployment
	ReportID   int64
	Known      layout.Placed
	Size       checksum.Extent
}

// Block is what is recorded of a placement's block.
type Block struct {
	Placed layout.Placed
	Found  bool // false: the placement is not there any more, and the rest is empty
	Rows   Rows
	// Newer are the placements that were connected or rewritten since this one, and own a cell of the block to write: the anchor, or one
	// that Mooring wrote for them, where a user with edit access to their report placed them. Who wrote last owns the cells, so a run must not
	// write the block while there are any (decisions.md §6).
	Newer []record.DocumentPlacement
	// Behind is when the storage came back without its last writes, if that was after the placement was refreshed last; else empty.
	Behind string
}

//go:embed lua/*.lua
var luaFiles embed.FS

// lua joins files of the folder lua.
func lua(names ...string) string { return redis.JoinLua(luaFiles, names...) }

// blocksScript reads the blocks of placements.
var blocksScript = redis.NewScript(engine.Lua("overlapping") + lua("blocks"))

// scriptBlocks is the most blocks that one script deals with: their rows may be large, and others wait for the server meanwhile.
const scriptBlocks = 64

// Blocks loads the blocks that list asks for, which are all of that tenant, in list's order. A caller that is going to write them
// holds the lock of their document.
func (w *Work) Blocks(ctx context.Context, tenant string, list []BlockQuery) ([]Block, error) {
	behind, err := w.db.BehindSince(ctx, w.db.Tenant(tenant).Partition)
	if err != nil {
		return nil, err
	}
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
	for i := range blocks {
		if b := &blocks[i]; b.Found && b.Placed.LastWrite().At < behind {
			b.Behind = behind
		}
	}
	return blocks, w.newerOwners(ctx, w.db.Tenant(tenant), list, blocks, cells)
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
		out, err := redis.RunScript(ctx, w.db.Redis, blocksScript, cmd)
		if err != nil {
			return nil, redis.Unavailable(err)
		}
		replies, _ := out.([]any)
		for n, i := range some {
			if blocks[i], cells[i], err = readBlock(list[i].Known.Position().Slot, replies[n]); err != nil {
				return nil, err
			}
			if now := &blocks[i]; now.Found && now.Placed.Position().AddressKey != list[i].Known.Position().AddressKey {
				moved = append(moved, i)
			}
		}
	}
	return moved, nil
}

func (w *Work) blockKeys(cmd []any, want BlockQuery) []any {
	k, report, at := w.db.Deployment(want.Deployment), want.ReportID, want.Known.Position()
	cmd = append(cmd, k.Placements(report), k.Blocks().Rows(report, at.Slot), k.Blocks().WriteAheadRows(report, at.Slot))
	cmd = append(cmd, k.Blocks().Edits(report, at.Slot), k.Blocks().ReturnedEdits(report, at.Slot))
	return layout.OverlapKeys(k.TenantKeys, cmd, at.SheetKey())
}

func (w *Work) blockArgs(cmd []any, want BlockQuery) []any {
	at, rect := want.Known.Position(), want.rect()
	return append(cmd, at.Slot, layout.CellMember(w.db.Deployment(want.Deployment), want.ReportID, at), layout.OverlapBegin(rect),
		layout.Padded(rect.Top, layout.RowDigits), layout.Padded(rect.Bottom, layout.RowDigits), layout.Padded(rect.Left, layout.ColumnDigits), layout.Padded(rect.Right, layout.ColumnDigits))
}

// rect is where the caller wants to write.
func (q *BlockQuery) rect() placements.Rect {
	at := q.Known.Position().Anchor
	return placements.Rect{
		Top: at.Row, Left: at.Column, Bottom: at.Row + max(q.Size.Rows, 1) - 1, Right: at.Column + max(q.Size.Columns, 1) - 1,
	}
}

// readBlock reads what blocksScript replies of one block.
func readBlock(slot string, reply any) (b Block, cells []string, err error) {
	fields, _ := reply.([]any)
	if len(fields) == 0 {
		return Block{}, nil, nil
	}
	b.Found = true
	if b.Placed, err = layout.DecodeRecord(slot, redis.Text(fields[0]), redis.Text(fields[2])); err != nil {
		return Block{}, nil, err
	}
	_, b.Placed.Rev, _ = strings.Cut(redis.Text(fields[1]), "\t")
	b.Rows = Rows{Completed: blob(fields[3]), Begun: blob(fields[4])}
	b.Rows.Edits, err = record.DecodeEdits(slot, redis.Text(fields[5]), redis.List(fields[6]))
	return b, redis.List(fields[7]), err
}

// newerOwners finds, among the members of the cell indexes that meet each block, those that claimed their cells later. They are read
// in one round trip, if there are any: that is rare.
func (w *Work) newerOwners(ctx context.Context, k keys.TenantKeys, list []BlockQuery, blocks []Block, cells [][]string) error {
	all := slices.Concat(cells...)
	if len(all) == 0 {
		return nil
	}
	slices.Sort(all)
	loaded, err := layout.LoadCells(ctx, w.db, k, slices.Compact(all))
	if err != nil {
		return err
	}
	for i := range blocks {
		p, self := &blocks[i].Placed, layout.MemberName(w.db.Deployment(list[i].Deployment), list[i].ReportID, list[i].Known.Position().Slot)
		for _, o := range loaded {
			claimedLater := o.Claim > p.Claim || o.Claim == p.Claim && o.Member > self
			if claimedLater && holds(o.Placement, list[i].rect()) && slices.ContainsFunc(cells[i], func(cell string) bool { return layout.MemberOf(cell) == o.Member }) {
				blocks[i].Newer = append(blocks[i].Newer, o)
			}
		}
	}
	return nil
}

// holds reports whether p owns a cell of a rectangle. Where a reader placed it, it owns none, however large a client run of theirs says that
// it is: what really stands there is in the way by itself.
func holds(p placements.Placement, rect placements.Rect) bool {
	_, owned, _ := p.Owned()
	return p.Placer != placements.PlacedByReader && owned.Intersects(rect)
}
