package storage

import (
	"slices"
	"strconv"

	"mooring/placements"
)

// spot is where a placement stands as the indexes know it.
type spot struct {
	placements.Address
	rect placements.Rect
}

// standing gives p's spot; a record without an address stands at no sheet.
func standing(p placements.Placement) spot {
	a, rect, _ := p.Standing()
	a.Document = p.WorkbookID
	return spot{a, rect}
}

// sheet names the cell index of the spot's sheet.
func (s spot) sheet() string { return placements.SheetKey(s.Document, s.Sheet) }

// levelRows is how high a block of each level may be. The cell index of a sheet must find the rectangles that meet a given one without looking at
// all, so it has a set for each level, by first row: what meets the rows [top,bottom] on a level begins between top-levelRows+1 and bottom.
var levelRows = [...]int{1 << 7, 1 << 14, 1 << 21}

// cellLevel is the level of a rectangle.
func cellLevel(r placements.Rect) int {
	level := 0
	for r.Bottom-r.Top+1 > levelRows[level] {
		level++
	}
	return level
}

// The lengths of a row and a column in a member of the cell index.
const (
	rowDigits    = 7
	columnDigits = 5
)

// padded gives a number with leading zeros.
func padded(n, digits int) string {
	text := strconv.Itoa(n)
	return "0000000"[:digits-len(text)] + text
}

// indexed names a placement in the indexes of a tenant.
func (k deploymentKeys) indexed(report int64, slot string) string {
	return k.owner(report) + ":" + slot
}

// cellMember names a placement in the cell index of its sheet and level.
func (k deploymentKeys) cellMember(report int64, slot string, s spot) string {
	return padded(s.rect.Bottom, rowDigits) + ":" + padded(s.rect.Left, columnDigits) + ":" + padded(s.rect.Right, columnDigits) + ":" + k.indexed(report, slot)
}

// cellIndex is the cell index that has s.
func (k tenantKeys) cellIndex(s spot) string { return k.cells(cellLevel(s.rect), s.sheet()) }

// fieldsOf are the fields of the placements hash that a slot has.
func fieldsOf(slot string) []any {
	return []any{placementField + slot, revisionField + slot, lastRunField + slot}
}

// slotOf is the slot of a placement.
func slotOf(p placements.Placement) string {
	if p.ID == "" {
		return "\x01" + standing(p).Key()
	}
	return p.ID
}

// spotMember names a placement among those of its report that stand at the same sheet and anchor, in whatever spreadsheet.
func spotMember(s spot, slot string) string { return s.Spot() + "\n" + slot }

// writePlacement adds what records p, which is old's successor; old is nil for a new one. p gets its revision.
func writePlacement(todo *changes, k deploymentKeys, report int64, old *placements.Placement, p *Placed) {
	now, slot := standing(p.Placement), slotOf(p.Placement)
	record := encodeRecord(p)
	if old != nil {
		if was := standing(*old); slotOf(*old) == slot && was.Address == now.Address {
			todo.add("HSET", k.placements(report), placementField+slot, record, revisionField+slot, p.Rev)
			reshape(todo, k, report, slot, was, now)
			return
		}
		unindex(todo, k, report, *old)
		if slotOf(*old) != slot {
			todo.add("HDEL", k.placements(report), fieldsOf(slotOf(*old))...)
		}
	}
	todo.add("HSET", k.placements(report), placementField+slot, record, revisionField+slot, p.Rev, addressField+now.Key(), slot)
	todo.add("ZADD", k.spots(report), 0, spotMember(now, slot))
	todo.add("ZADD", k.document(now.Document), 0, k.indexed(report, slot))
	todo.add("ZADD", k.cellIndex(now), now.rect.Top, k.cellMember(report, slot, now))
}

// reshape tells the cell index that a block has grown or shrunk where it stands.
func reshape(todo *changes, k deploymentKeys, report int64, slot string, was, now spot) {
	if was.rect == now.rect {
		return
	}
	todo.add("ZREM", k.cellIndex(was), k.cellMember(report, slot, was))
	todo.add("ZADD", k.cellIndex(now), now.rect.Top, k.cellMember(report, slot, now))
}

// unindex takes p out of every index.
func unindex(todo *changes, k deploymentKeys, report int64, p placements.Placement) {
	slot, s := slotOf(p), standing(p)
	todo.add("HDEL", k.placements(report), addressField+s.Key())
	todo.add("ZREM", k.spots(report), spotMember(s, slot))
	todo.add("ZREM", k.document(s.Document), k.indexed(report, slot))
	todo.add("ZREM", k.cellIndex(s), k.cellMember(report, slot, s))
}

// dropPlacement takes a placement out of the report and of every index.
func dropPlacement(todo *changes, k deploymentKeys, report int64, p placements.Placement) {
	slot := slotOf(p)
	unindex(todo, k, report, p)
	todo.add("HDEL", k.placements(report), fieldsOf(slot)...)
	todo.add("DEL", k.rows(report, slot))
}

// dropPlacements takes all placements of a report that goes out of every index.
func dropPlacements(todo *changes, k deploymentKeys, r *Report) {
	members := map[string][]any{} // by the key of the index
	for _, p := range r.Placements {
		slot, at := slotOf(p.Placement), standing(p.Placement)
		document, cells := k.document(at.Document), k.cellIndex(at)
		members[document] = append(members[document], k.indexed(r.ID, slot))
		members[cells] = append(members[cells], k.cellMember(r.ID, slot, at))
		todo.add("DEL", k.rows(r.ID, slot))
	}
	for index, names := range members {
		for batch := range slices.Chunk(names, 1000) { // Lua unpacks no more than some thousands
			todo.add("ZREM", index, batch...)
		}
	}
	todo.add("DEL", k.placements(r.ID))
	todo.add("DEL", k.spots(r.ID))
}
