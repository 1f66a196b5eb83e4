package layout

import (
	"strconv"

	"mooring/placements"
	"mooring/storage/keys"
	"mooring/storage/queue"
	"mooring/storage/standing"
)

// SheetKey names the cell indexes of the position's sheet.
func (s *Position) SheetKey() string { return placements.SheetKey(s.Home, s.Sheet) }

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
	RowDigits    = 7
	ColumnDigits = 5
)

// Padded returns a number with leading zeros, if it has fewer digits.
func Padded(n, digits int) string {
	text := strconv.Itoa(n)
	return "0000000"[:max(digits-len(text), 0)] + text
}

// MemberName names a placement in the indexes of a tenant.
func MemberName(k keys.DeploymentKeys, report int64, slot string) string {
	return k.Owner(report) + ":" + slot
}

// CellMember names a placement in the cell index of its sheet and level.
func CellMember(k keys.DeploymentKeys, report int64, s *Position) string {
	if s.member != "" {
		return s.member
	}
	return Padded(s.Rect.Bottom, RowDigits) + ":" + Padded(s.Rect.Left, ColumnDigits) + ":" + Padded(s.Rect.Right, ColumnDigits) + ":" +
		MemberName(k, report, s.Slot)
}

// cellIndex is the cell index that has s.
func cellIndex(k keys.TenantKeys, s *Position) string {
	return k.Cells(cellLevel(s.Rect), s.SheetKey())
}

// fieldsOf are the fields of the placements hash that a slot has.
func fieldsOf(slot string) []any {
	return []any{PlacementField + slot, LastRunField + slot, queue.FieldWanted + slot}
}

// SpotMembers name a placement among those of its report at the same sheet and anchor, in whatever spreadsheet, and among those at the same
// anchor of the sheet with that id.
func (s *Position) SpotMembers() []string {
	members := []string{s.Spot() + "\n" + s.Slot}
	if s.SheetID != "" {
		members = append(members, s.sheetMember())
	}
	return members
}

func (s *Position) sheetMember() string { return s.SheetSpot(s.SheetID) + "\n" + s.Slot }

// documentMembers name a placement among those in its spreadsheet, and by its id if it has one.
func documentMembers(k keys.DeploymentKeys, report int64, s *Position) []string {
	members := []string{MemberName(k, report, s.Slot)}
	if s.hasID() {
		members = append(members, "="+s.Slot+"\n"+k.Owner(report))
	}
	return members
}

// hasID reports whether the slot is an id.
func (s *Position) hasID() bool { return s.Slot[0] != noID }

// Bounds are the bounds of ZLEXCOUNT or ZRANGEBYLEX for the members that begin with text and a line feed.
func Bounds(text string) (from, to string) { return "[" + text + "\n", "(" + text + "\v" }

// OverlapKeys adds the cell indexes of a sheet to a command.
func OverlapKeys(k keys.TenantKeys, cmd []any, sheet string) []any {
	for level := range levelRows {
		cmd = append(cmd, k.Cells(level, sheet))
	}
	return cmd
}

// OverlapBegin is where what reaches down to rect from the lowest level may begin.
func OverlapBegin(rect placements.Rect) int { return max(rect.Top-levelRows[0]+1, 0) }

// writePlacement adds what records p, which is old's successor; old is nil for a new one. p gets its revision.
func (to *Recorder) writePlacement(report int64, old, p *Placed) {
	if old != nil && p.Edits == nil {
		to.dropEdits(report, old)
	}
	if old != nil && p.standsAs(old.Position()) {
		to.StorePlacement(report, p)
		return
	}
	p.at = nil
	now := p.Position()
	now.member = CellMember(to.Keys, report, now)
	if old != nil {
		was := old.Position()
		if was.Slot == now.Slot && was.Address == now.Address && was.Home == now.Home {
			to.StorePlacement(report, p)
			to.reshape(report, was, now)
			to.resheet(report, was, now)
			return
		}
		var fields []any
		if was.Slot != now.Slot {
			fields = fieldsOf(was.Slot)
			standing.Unstand(&to.Tx.Txn, to.Keys, report, was.Slot)
		}
		to.unindex(report, was, fields...)
	}
	to.StorePlacement(report, p)
	to.Tx.Enlist(to.Keys.Spots(report), now.SpotMembers()...)
	to.Tx.Enlist(to.Keys.Document(now.Home), documentMembers(to.Keys, report, now)...)
	to.Tx.Then("ZADD", cellIndex(to.Keys.TenantKeys, now), now.Rect.Top, CellMember(to.Keys, report, now))
}

// StorePlacement adds the record of p, and its address with the record's revision.
func (to *Recorder) StorePlacement(report int64, p *Placed) {
	record := encodeRecord(p)
	to.Tx.Then("HSET", to.Keys.Placements(report), PlacementField+p.at.Slot, record, AddressField+p.at.AddressKey, AddressValue(p.at.Slot, p.Rev))
}

// standsAs reports whether p stands exactly as was does, and then lets it be that.
func (p *Placed) standsAs(was *Position) bool {
	a, rect := covered(&p.Placement)
	if a != was.Address || p.Home() != was.Home || rect != was.Rect || p.ID != was.Slot || p.SheetID != was.SheetID {
		return false
	}
	p.at = was
	return true
}

// reshape tells the cell index that a block has grown or shrunk where it stands.
func (to *Recorder) reshape(report int64, was, now *Position) {
	if was.Rect == now.Rect {
		return
	}
	to.Tx.Then("ZREM", cellIndex(to.Keys.TenantKeys, was), CellMember(to.Keys, report, was))
	to.Tx.Then("ZADD", cellIndex(to.Keys.TenantKeys, now), now.Rect.Top, CellMember(to.Keys, report, now))
}

// resheet names a placement by another id of the same sheet.
func (to *Recorder) resheet(report int64, was, now *Position) {
	if was.SheetID == now.SheetID {
		return
	}
	if was.SheetID != "" {
		to.Tx.Then("ZREM", to.Keys.Spots(report), was.sheetMember())
	}
	if now.SheetID != "" {
		to.Tx.Enlist(to.Keys.Spots(report), now.sheetMember())
	}
}

// unindex takes what stands there out of every index, and its address with other fields out of the placements hash.
func (to *Recorder) unindex(report int64, s *Position, fields ...any) {
	to.Tx.Then("HDEL", to.Keys.Placements(report), append(fields, AddressField+s.AddressKey)...)
	to.Tx.Delist(to.Keys.Spots(report), s.SpotMembers()...)
	to.Tx.Delist(to.Keys.Document(s.Home), documentMembers(to.Keys, report, s)...)
	to.Tx.Then("ZREM", cellIndex(to.Keys.TenantKeys, s), CellMember(to.Keys, report, s))
}
