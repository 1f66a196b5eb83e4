package storage

import (
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
	a, _ := p.Address()
	rect, _ := p.Rect()
	if a.Document == "" {
		a.Document = p.WorkbookID
	}
	return spot{a, rect}
}

// The cell index of a sheet must find rectangles that meet a given one without looking at all. Rectangles are sorted into levels by height:
// level n holds those of at most 8^n rows. So what meets the rows [top,bottom] on a level begins between top-8^n+1 and bottom. A score holds,
// from the highest bits down: level (3), top row (20), left column (14), right column (14), together 51 of the 53 bits that a score keeps.
const (
	rowBits    = 20
	columnBits = 14
)

// cellScore packs a rectangle. Its last row is in the member's name instead.
func cellScore(r placements.Rect) int64 {
	return ((cellLevel(r)<<rowBits|int64(r.Top))<<columnBits|int64(r.Left))<<columnBits | int64(r.Right)
}

func cellLevel(r placements.Rect) (level int64) {
	for rows := 1; rows < r.Bottom-r.Top+1; rows *= 8 {
		level++
	}
	return level
}

// cellsIn gives the scores between which a level's rectangles that may meet r lie.
func cellsIn(level int64, r placements.Rect) (least, most int64) {
	above := max(r.Top-(1<<(3*level))+1, 0)
	least = (level<<rowBits | int64(above)) << (2 * columnBits)
	return least, (level<<rowBits|int64(r.Bottom)+1)<<(2*columnBits) - 1
}

// head is the first line of a record.
func (s spot) head() string {
	return s.Key() + "\t" + strconv.FormatInt(cellScore(s.rect), 10) + "\t" + strconv.Itoa(s.rect.Bottom)
}

// indexed names a placement in the indexes of a tenant.
func (k deploymentKeys) indexed(report int64, slot string) string {
	return k.owner(report) + ":" + slot
}

// cellMember names a placement in the cell index of its sheet.
func (k deploymentKeys) cellMember(report int64, slot string, s spot) string {
	return strconv.Itoa(s.rect.Bottom) + ":" + k.indexed(report, slot)
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

// writePlacement adds what records p, which is old's successor; old is nil for a new one.
func writePlacement(todo *changes, k deploymentKeys, report int64, old *placements.Placement, p placements.Placement, claim int64) {
	now, slot := standing(p), slotOf(p)
	if old != nil {
		if slotOf(*old) == slot && standing(*old) == now {
			todo.record(k, report, p, claim)
			return
		}
		unindex(todo, k, report, *old)
		if slotOf(*old) != slot {
			todo.add("HDEL", k.placements(report), placementField+slotOf(*old), lastRunField+slotOf(*old))
		}
	}
	todo.record(k, report, p, claim)
	todo.add("HSET", k.placements(report), addressField+now.Key(), slot)
	todo.add("ZADD", k.spots(report), 0, spotMember(now, slot))
	todo.add("ZADD", k.document(now.Document), 0, k.indexed(report, slot))
	todo.add("ZADD", k.cells(placements.SheetKey(now.Document, now.Sheet)), cellScore(now.rect), k.cellMember(report, slot, now))
}

// unindex takes p out of every index.
func unindex(todo *changes, k deploymentKeys, report int64, p placements.Placement) {
	slot, s := slotOf(p), standing(p)
	todo.add("HDEL", k.placements(report), addressField+s.Key())
	todo.add("ZREM", k.spots(report), spotMember(s, slot))
	todo.add("ZREM", k.document(s.Document), k.indexed(report, slot))
	todo.add("ZREM", k.cells(placements.SheetKey(s.Document, s.Sheet)), k.cellMember(report, slot, s))
}

func (c *changes) record(k deploymentKeys, report int64, p placements.Placement, claim int64) {
	text, err := encodeRecord(p, claim)
	if err != nil && c.err == nil {
		c.err = err
	}
	c.add("HSET", k.placements(report), placementField+slotOf(p), text)
}
