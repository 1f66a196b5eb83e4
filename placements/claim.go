package placements

import (
	"reflect"

	"mooring/checksum"
)

// LastWrite returns the write that a refresh compares the block of p with.
func (p Placement) LastWrite() Write {
	if p.Disputed() {
		return *p.Base.Kept
	}
	_, r, _ := p.Standing()
	return Write{At: p.RefreshedAt, Query: p.QueryChecksum, Extent: r.Extent(), Checksum: p.ResultChecksum}
}

// Disputed reports whether a client has told of a write since the last one that is believed.
func (p Placement) Disputed() bool { return p.Base != nil && p.Base.Kept != nil }

// WrittenFor is the user on whose behalf that which a refresh compares with was written; 0: several, or nobody known.
func (p Placement) WrittenFor() int64 {
	if p.Base != nil {
		return p.Base.Behalf
	}
	return p.Behalf().UID
}

// Wholly reports whether p is queried on behalf of that user and nothing in its block is known to be another person's. 0 is no user.
func (p Placement) Wholly(uid int64) bool { return p.PlacedFor(uid) && p.WrittenFor() == uid }

// ValuesOf is the user who may see what people typed into the block of p, 0 for none: see record.Actor.SeesCells.
func (p Placement) ValuesOf() int64 {
	if of := p.Behalf().UID; p.Wholly(of) {
		return of
	}
	return 0
}

// WrittenOver returns p, whose block was just refreshed, if people's cells in it may be of others than those on whose behalf p is queried:
// they stay so until a refresh leaves none.
func (p Placement) WrittenOver(before Placement) Placement {
	behalf := before.WrittenFor()
	if behalf == p.Behalf().UID {
		behalf = 0
	}
	p.setBase(behalf, nil)
	return p
}

// setBase notes what a refresh compares with; kept is nil for the write of which the members of p tell.
func (p *Placement) setBase(behalf int64, kept *Write) {
	p.Base = nil
	if kept != nil || behalf != p.Behalf().UID {
		p.Base = &Base{Behalf: behalf, Kept: kept}
	}
}

// onBehalfOf makes p one that is queried on behalf of as. What a refresh compares with stays, and whose that is.
func (p *Placement) onBehalfOf(as *RunAs) {
	behalf, kept := p.WrittenFor(), (*Write)(nil)
	if p.Disputed() {
		kept = p.Base.Kept
	}
	p.RunAs = as
	if p.Base = nil; kept != nil || p.QueryChecksum != "" {
		p.setBase(behalf, kept)
	}
}

// believes reports whether a refresh compares with what the stamp's user tells of a write to the block of old: with edit access to the
// report, and as the one on whose behalf old is queried if what it compares with now was written on theirs too. there is false of a block
// that is new where it stands: Mooring has written nothing there.
func (s Stamp) believes(old Placement, there bool) bool {
	switch {
	case s.MayEdit || !there:
		return true
	case old.LastWrite().Query == "":
		return !s.others(old)
	}
	return old.Wholly(s.By.UID)
}

// has reports whether old is queried on behalf of the stamp's user, and nothing in its block is known to be another person's. A caller
// without a user equals no other, but for one with edit access to the report, who may decide over both.
func (s Stamp) has(old Placement) bool {
	return (s.MayEdit || s.By.UID != 0) && old.Behalf().UID == s.By.UID && old.WrittenFor() == s.By.UID
}

// tells is p, once old, after a client told where its block ends. What the service itself has written is own; a client who is believed may
// say that less of it is left.
func (p *Placement) tells(old Placement, own checksum.Extent, believed bool) {
	_, r, _ := p.Standing()
	said := r.Extent()
	if believed {
		own = checksum.Extent{Rows: min(own.Rows, said.Rows), Columns: min(own.Columns, said.Columns)}
	}
	p.Own = nil
	if own != said {
		p.Own = &own
	}
	if !believed && p.EndResultCell != old.EndResultCell {
		p.dispute(old)
	}
}

// dispute keeps what old told of its last write, if that or p tells of one, for refreshes to compare with.
func (p *Placement) dispute(old Placement) {
	if kept := old.LastWrite(); kept.Query != "" || p.QueryChecksum != "" {
		p.setBase(old.WrittenFor(), &kept)
	}
}

// wrote stamps p, once old, with a data write of which a client tells. If the client is believed nothing that stood in the block is left,
// and the rows are those that the stamp's user sees.
func (p *Placement) wrote(old Placement, s Stamp, sum *checksum.ResultChecksum, believed bool) {
	now := Time(s.Now)
	if p.PlacedAt == "" {
		p.PlacedAt, p.PlacedByUserID = now, s.By.UID
	}
	p.RefreshedAt, p.RefreshedByUserID = now, s.By.UID
	p.QueryChecksum, p.ResultChecksum, p.Used = s.QueryChecksum, sum, p.Parameters.usable(s.Parameters)
	if !believed {
		p.dispute(old)
		return
	}
	p.Edits, p.RestoredAt = nil, ""
	p.setBase(s.By.UID, nil)
}

// ages makes the age of the block of p, which was old before, unknown if the block was moved, or if a trusted client claims other cells there.
func (p *Placement) ages(old Placement, moved bool) {
	if moved || !p.LastWrite().leaves(old.LastWrite()) {
		p.AsOf = ""
	}
}

// leaves reports whether w leaves in the block what old has left there: it is the same write, or one of the same cells.
func (w Write) leaves(old Write) bool {
	same := w.Checksum != nil && reflect.DeepEqual(w.Checksum, old.Checksum)
	return w.Extent == old.Extent && (w.At == old.At || same)
}

// OnlyTold reports whether now differs from before in nothing but what clients told of writes that are not believed, if at all.
func OnlyTold(before, now Placement) bool {
	was, is := before.LastWrite(), now.LastWrite()
	written := was.Query != "" || is.Query != "" // else an end alone may have been told
	if now.WrittenFor() != before.WrittenFor() || written && !reflect.DeepEqual(is, was) {
		return false
	}
	before.PlacedAt, before.PlacedByUserID = now.PlacedAt, now.PlacedByUserID
	before.RefreshedAt, before.RefreshedByUserID = now.RefreshedAt, now.RefreshedByUserID
	before.QueryChecksum, before.ResultChecksum, before.EndResultCell = now.QueryChecksum, now.ResultChecksum, now.EndResultCell
	before.Used, before.Marks = now.Used, now.Marks
	before.Own, before.Base, before.Spreadsheets = now.Own, now.Base, now.Spreadsheets
	before.Target, before.Path, before.Merged = now.Target, now.Path, now.Merged
	return reflect.DeepEqual(before, now)
}
