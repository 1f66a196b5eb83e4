package storage

import (
	"slices"
	"strconv"

	"mooring/placements"
	"mooring/storage/changes"
	"mooring/storage/keys"
	"mooring/storage/queue"
	"mooring/storage/standing"
)

// sheet names the cell indexes of the position's sheet.
func (s *position) sheet() string { return placements.SheetKey(s.document, s.Sheet) }

// levelRows is how high a block of each level may be. The cell index of a sheet must find the rectangles that meet a given one without
// looking at all, so it has a set for each level, by first row: what meets the rows [top,bottom] on a level begins between top-levelRows+1
// and bottom.
var levelRows = [...]int{1 << 5, 1 << 10, 1 << 21} // as lua/overlapping.lua says

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
	return k.Owner(report) + ":" + slot
}

// cellMember names a placement in the cell index of its sheet and level.
func (k deploymentKeys) cellMember(report int64, s *position) string {
	if s.member != "" {
		return s.member
	}
	return padded(s.rect.Bottom, rowDigits) + ":" + padded(s.rect.Left, columnDigits) + ":" + padded(s.rect.Right, columnDigits) + ":" +
		k.indexed(report, s.slot)
}

// cellIndex is the cell index that has s.
func cellIndex(k keys.TenantKeys, s *position) string { return k.Cells(cellLevel(s.rect), s.sheet()) }

// fieldsOf are the fields of the placements hash that a slot has.
func fieldsOf(slot string) []any {
	return []any{placementField + slot, lastRunField + slot, queue.FieldWanted + slot}
}

// spotMembers name a placement among those of its report at the same sheet and anchor, in whatever spreadsheet, and among those at the same
// anchor of the sheet with that id.
func (s *position) spotMembers() []string {
	members := []string{s.Spot() + "\n" + s.slot}
	if s.sheetID != "" {
		members = append(members, s.sheetMember())
	}
	return members
}

func (s *position) sheetMember() string { return s.SheetSpot(s.sheetID) + "\n" + s.slot }

// documentMembers name a placement among those in its spreadsheet, and by its id if it has one.
func (k deploymentKeys) documentMembers(report int64, s *position) []string {
	members := []string{k.indexed(report, s.slot)}
	if s.hasID() {
		members = append(members, "="+s.slot+"\n"+k.Owner(report))
	}
	return members
}

// hasID reports whether the slot is an id.
func (s *position) hasID() bool { return s.slot[0] != noID }

// prefixed are the bounds of ZLEXCOUNT or ZRANGEBYLEX for the members that begin with text and a line feed.
func prefixed(text string) (from, to string) { return "[" + text + "\n", "(" + text + "\v" }

// writePlacement adds what records p, which is old's successor; old is nil for a new one. p gets its revision.
func writePlacement(tx *txn, k deploymentKeys, report int64, old, p *Placed) {
	if old != nil && p.Edits == nil {
		dropEdits(tx, k, report, old)
	}
	if old != nil && p.standsAs(old.position()) {
		store(tx, k, report, p)
		return
	}
	p.at = nil
	now := p.position()
	now.member = k.cellMember(report, now)
	if old != nil {
		was := old.position()
		if was.slot == now.slot && was.Address == now.Address && was.document == now.document {
			store(tx, k, report, p)
			reshape(tx, k, report, was, now)
			resheet(tx, k, report, was, now)
			return
		}
		var fields []any
		if was.slot != now.slot {
			fields = fieldsOf(was.slot)
			standing.Unstand(&tx.Txn, k.DeploymentKeys, report, was.slot)
		}
		unindex(tx, k, report, was, fields...)
	}
	store(tx, k, report, p)
	tx.enlist(k.Spots(report), now.spotMembers()...)
	tx.enlist(k.Document(now.document), k.documentMembers(report, now)...)
	tx.Then("ZADD", cellIndex(k.TenantKeys, now), now.rect.Top, k.cellMember(report, now))
}

// store adds the record of p, and its address with the record's revision.
func store(tx *txn, k deploymentKeys, report int64, p *Placed) {
	record := encodeRecord(p)
	tx.Then("HSET", k.Placements(report), placementField+p.at.slot, record, addressField+p.at.key, addressValue(p.at.slot, p.Rev))
}

// standsAs reports whether p stands exactly as was does, and then lets it be that.
func (p *Placed) standsAs(was *position) bool {
	a, rect := covered(&p.Placement)
	if a != was.Address || p.Home() != was.document || rect != was.rect || p.ID != was.slot || p.SheetID != was.sheetID {
		return false
	}
	p.at = was
	return true
}

// reshape tells the cell index that a block has grown or shrunk where it stands.
func reshape(tx *txn, k deploymentKeys, report int64, was, now *position) {
	if was.rect == now.rect {
		return
	}
	tx.Then("ZREM", cellIndex(k.TenantKeys, was), k.cellMember(report, was))
	tx.Then("ZADD", cellIndex(k.TenantKeys, now), now.rect.Top, k.cellMember(report, now))
}

// resheet names a placement by another id of the same sheet.
func resheet(tx *txn, k deploymentKeys, report int64, was, now *position) {
	if was.sheetID == now.sheetID {
		return
	}
	if was.sheetID != "" {
		tx.Then("ZREM", k.Spots(report), was.sheetMember())
	}
	if now.sheetID != "" {
		tx.enlist(k.Spots(report), now.sheetMember())
	}
}

// unindex takes what stands there out of every index, and its address with other fields out of the placements hash.
func unindex(tx *txn, k deploymentKeys, report int64, s *position, fields ...any) {
	tx.Then("HDEL", k.Placements(report), append(fields, addressField+s.key)...)
	tx.delist(k.Spots(report), s.spotMembers()...)
	tx.delist(k.Document(s.document), k.documentMembers(report, s)...)
	tx.Then("ZREM", cellIndex(k.TenantKeys, s), k.cellMember(report, s))
}

// dropPlacement takes a placement out of the report and of every index, and ends the runs on it.
func dropPlacement(tx *txn, k deploymentKeys, report int64, p *Placed) {
	s := p.position()
	queue.StopPlacement(&tx.Txn, k.DeploymentKeys, report, p.ID)
	queue.WakePlacement(&tx.Txn, k.DeploymentKeys, report, s.slot)
	fields := fieldsOf(s.slot)
	for _, id := range p.Merged {
		fields = append(fields, mergedField+id)
	}
	unindex(tx, k, report, s, fields...)
	standing.Unstand(&tx.Txn, k.DeploymentKeys, report, s.slot)
	tx.Then("DEL", k.Rows(report, s.slot))
	changes.Drop(&tx.Txn, k.DeploymentKeys, report, s.slot)
	dropEdits(tx, k, report, p)
}

// dropPlacements takes all placements of a report that goes out of every index, and ends its runs.
func dropPlacements(tx *txn, k deploymentKeys, r *Report) {
	queue.StopReport(&tx.Txn, k.DeploymentKeys, r.ID)
	members := map[string][]string{} // by the key of the index
	for i := range r.Placements {
		at := r.Placements[i].position()
		document, cells := k.Document(at.document), cellIndex(k.TenantKeys, at)
		members[document] = append(members[document], k.documentMembers(r.ID, at)...)
		members[cells] = append(members[cells], k.cellMember(r.ID, at))
		standing.Unstand(&tx.Txn, k.DeploymentKeys, r.ID, at.slot)
		tx.Then("DEL", k.Rows(r.ID, at.slot))
		changes.Drop(&tx.Txn, k.DeploymentKeys, r.ID, at.slot)
		dropEdits(tx, k, r.ID, &r.Placements[i])
	}
	for index, names := range members {
		for batch := range slices.Chunk(names, unpacked) {
			tx.delist(index, batch...)
		}
	}
	tx.Then("DEL", k.Placements(r.ID))
	tx.Then("DEL", k.Spots(r.ID))
}

// overlapKeys adds the cell indexes of a sheet to a command.
func overlapKeys(k keys.TenantKeys, cmd []any, sheet string) []any {
	for level := range levelRows {
		cmd = append(cmd, k.Cells(level, sheet))
	}
	return cmd
}

// overlapBegin is where what reaches down to rect from the lowest level may begin.
func overlapBegin(rect placements.Rect) int { return max(rect.Top-levelRows[0]+1, 0) }
