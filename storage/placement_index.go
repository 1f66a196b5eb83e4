package storage

import (
	"slices"
	"strconv"

	"mooring/placements"
)

// stand is where a placement stands as the placements hash and the indexes know it.
type stand struct {
	slot, key string // key is the address's
	sheetID   string
	placements.Address
	rect   placements.Rect
	member string // of the cell index, once it is known: see cellMember
}

// standing returns p's stand; a record without an address stands at no sheet.
func standing(p placements.Placement) stand {
	a, rect, _ := p.Standing()
	a.Document = p.WorkbookID
	s := stand{slot: p.ID, key: a.Key(), sheetID: p.SheetID, Address: a, rect: rect}
	if p.ID == "" {
		s.slot = string(noID) + s.key
	}
	return s
}

// standing returns where p stands, which is found once.
func (p *Placed) standing() *stand {
	if p.stands == nil {
		s := standing(p.Placement)
		p.stands = &s
	}
	return p.stands
}

// sheet names the cell indexes of the stand's sheet.
func (s *stand) sheet() string { return placements.SheetKey(s.Document, s.Sheet) }

// levelRows is how high a block of each level may be. The cell index of a sheet must find the rectangles that meet a given one without
// looking at all, so it has a set for each level, by first row: what meets the rows [top,bottom] on a level begins between top-levelRows+1
// and bottom.
var levelRows = [...]int{1 << 5, 1 << 10, 1 << 21}

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

// padded returns a number with leading zeros, if it has fewer digits.
func padded(n, digits int) string {
	text := strconv.Itoa(n)
	return "0000000"[:max(digits-len(text), 0)] + text
}

// indexed names a placement in the indexes of a tenant.
func (k deploymentKeys) indexed(report int64, slot string) string {
	return k.owner(report) + ":" + slot
}

// cellMember names a placement in the cell index of its sheet and level.
func (k deploymentKeys) cellMember(report int64, s *stand) string {
	if s.member != "" {
		return s.member
	}
	return padded(s.rect.Bottom, rowDigits) + ":" + padded(s.rect.Left, columnDigits) + ":" + padded(s.rect.Right, columnDigits) + ":" + k.indexed(report, s.slot)
}

// cellIndex is the cell index that has s.
func (k tenantKeys) cellIndex(s *stand) string { return k.cells(cellLevel(s.rect), s.sheet()) }

// fieldsOf are the fields of the placements hash that a slot has.
func fieldsOf(slot string) []any {
	return []any{placementField + slot, lastRunField + slot}
}

// spotMembers name a placement among those of its report at the same sheet and anchor, in whatever spreadsheet, and among those at the same
// anchor of the sheet with that id.
func (s *stand) spotMembers() []string {
	members := []string{s.Spot() + "\n" + s.slot}
	if s.sheetID != "" {
		members = append(members, s.sheetMember())
	}
	return members
}

func (s *stand) sheetMember() string { return s.SheetSpot(s.sheetID) + "\n" + s.slot }

// documentMembers name a placement among those in its spreadsheet, and by its id if it has one.
func (k deploymentKeys) documentMembers(report int64, s *stand) []string {
	members := []string{k.indexed(report, s.slot)}
	if s.hasID() {
		members = append(members, "="+s.slot+"\n"+k.owner(report))
	}
	return members
}

// hasID reports whether the slot is an id.
func (s *stand) hasID() bool { return s.slot[0] != noID }

// noID begins the slot of a placement without an id.
const noID = '\x01'

// prefixed are the bounds of ZLEXCOUNT or ZRANGEBYLEX for the members that begin with text and a line feed.
func prefixed(text string) (from, to string) { return "[" + text + "\n", "(" + text + "\v" }

// writePlacement adds what records p, which is old's successor; old is nil for a new one. p gets its revision.
func writePlacement(todo *changes, k deploymentKeys, report int64, old, p *Placed) {
	if old != nil && p.Edits == nil {
		dropEdits(todo, k, report, old)
	}
	if old != nil && p.standsAs(old.standing()) {
		store(todo, k, report, p)
		return
	}
	p.stands = nil
	now := p.standing()
	now.member = k.cellMember(report, now)
	if old != nil {
		was := old.standing()
		if was.slot == now.slot && was.Address == now.Address {
			store(todo, k, report, p)
			reshape(todo, k, report, was, now)
			resheet(todo, k, report, was, now)
			return
		}
		var fields []any
		if was.slot != now.slot {
			fields = fieldsOf(was.slot)
		}
		unindex(todo, k, report, was, fields...)
	}
	store(todo, k, report, p)
	todo.enlist(k.spots(report), now.spotMembers()...)
	todo.enlist(k.document(now.Document), k.documentMembers(report, now)...)
	todo.add("ZADD", k.cellIndex(now), now.rect.Top, k.cellMember(report, now))
}

// store adds the record of p, and its address with the record's revision.
func store(todo *changes, k deploymentKeys, report int64, p *Placed) {
	record := encodeRecord(p)
	todo.add("HSET", k.placements(report), placementField+p.stands.slot, record, addressField+p.stands.key, standsThere(p.stands.slot, p.Rev))
}

// standsAs reports whether p stands exactly as was does, and then lets it be that.
func (p *Placed) standsAs(was *stand) bool {
	a, rect, _ := p.Standing()
	a.Document = p.WorkbookID
	if a != was.Address || rect != was.rect || p.ID != was.slot || p.SheetID != was.sheetID {
		return false
	}
	p.stands = was
	return true
}

// reshape tells the cell index that a block has grown or shrunk where it stands.
func reshape(todo *changes, k deploymentKeys, report int64, was, now *stand) {
	if was.rect == now.rect {
		return
	}
	todo.add("ZREM", k.cellIndex(was), k.cellMember(report, was))
	todo.add("ZADD", k.cellIndex(now), now.rect.Top, k.cellMember(report, now))
}

// resheet names a placement by another id of the same sheet.
func resheet(todo *changes, k deploymentKeys, report int64, was, now *stand) {
	if was.sheetID == now.sheetID {
		return
	}
	if was.sheetID != "" {
		todo.add("ZREM", k.spots(report), was.sheetMember())
	}
	if now.sheetID != "" {
		todo.enlist(k.spots(report), now.sheetMember())
	}
}

// unindex takes what stands there out of every index, and its address with other fields out of the placements hash.
func unindex(todo *changes, k deploymentKeys, report int64, s *stand, fields ...any) {
	todo.add("HDEL", k.placements(report), append(fields, addressField+s.key)...)
	todo.delist(k.spots(report), s.spotMembers()...)
	todo.delist(k.document(s.Document), k.documentMembers(report, s)...)
	todo.add("ZREM", k.cellIndex(s), k.cellMember(report, s))
}

// dropPlacement takes a placement out of the report and of every index.
func dropPlacement(todo *changes, k deploymentKeys, report int64, p *Placed) {
	s := p.standing()
	unindex(todo, k, report, s, fieldsOf(s.slot)...)
	todo.add("DEL", k.rows(report, s.slot))
	dropEdits(todo, k, report, p)
}

// dropPlacements takes all placements of a report that goes out of every index.
func dropPlacements(todo *changes, k deploymentKeys, r *Report) {
	members := map[string][]string{} // by the key of the index
	for i := range r.Placements {
		at := r.Placements[i].standing()
		document, cells := k.document(at.Document), k.cellIndex(at)
		members[document] = append(members[document], k.documentMembers(r.ID, at)...)
		members[cells] = append(members[cells], k.cellMember(r.ID, at))
		todo.add("DEL", k.rows(r.ID, at.slot))
		dropEdits(todo, k, r.ID, &r.Placements[i])
	}
	for index, names := range members {
		for batch := range slices.Chunk(names, unpacked) {
			todo.delist(index, batch...)
		}
	}
	todo.add("DEL", k.placements(r.ID))
	todo.add("DEL", k.spots(r.ID))
}
