package placements

import (
	"slices"
)

// Options say how a run treats a block (decisions.md §7c). Each may be said by a run, by its schedule and by the placement, in this order
// of precedence; one that none of them says has its default.
type Options struct {
	OnEdit         Optional[OnEdit] `json:"onEdit,omitzero"`
	ShiftRows      Optional[bool]   `json:"shiftRows,omitzero"`      // what stands below the block moves with its rows
	BreakSignature Optional[bool]   `json:"breakSignature,omitzero"` // a signed workbook may be written, without its signature
}

// Over is o and, of what o does not say, under. What o clears is not said.
func (o Options) Over(under Options) Options {
	return Options{
		OnEdit:         o.OnEdit.over(under.OnEdit),
		ShiftRows:      o.ShiftRows.over(under.ShiftRows),
		BreakSignature: o.BreakSignature.over(under.BreakSignature),
	}
}

// Destroys reports whether o lets a run replace what a person typed, or remove the signature of a workbook.
func (o Options) Destroys() bool { return o.OnEdit.Or(Keep) == Overwrite || o.BreakSignature.Or(false) }

// Sparing is o without what destroys something.
func (o Options) Sparing() Options {
	if o.OnEdit.Or(Keep) == Overwrite {
		o.OnEdit = Optional[OnEdit]{}
	}
	if o.BreakSignature.Or(false) {
		o.BreakSignature = Optional[bool]{}
	}
	return o
}

// Equal reports whether both say the same.
func (o Options) Equal(other Options) bool {
	return same(o.OnEdit, other.OnEdit) && same(o.ShiftRows, other.ShiftRows) && same(o.BreakSignature, other.BreakSignature)
}

// OnEdit says what a run does with what a person did to its block since it was written (decisions.md §7a).
type OnEdit string

// Keep is the default: what a person typed stays and is reported, everything else is refreshed.
const (
	Keep      OnEdit = "keep"
	Overwrite OnEdit = "overwrite" // the edited values, and the formulas among them, are kept in the run
	Stop      OnEdit = "stop"      // nothing is written
)

// Valid reports whether v is one of them.
func (v OnEdit) Valid() bool { return slices.Contains([]OnEdit{Keep, Overwrite, Stop}, v) }

// options refuses values that an option does not have.
func (f *faults) options(o Options) {
	if v := o.OnEdit.Or(Keep); !v.Valid() {
		f.add(onEditPointer, sentence("%q is not what a run can do with edited cells: send keep, overwrite or stop.", string(v)))
	}
}

// RunAs is on whose behalf a placement's report is queried: who placed it, as their token said then (decisions.md §3). With row-level
// security the placement holds what they may see, also when another person asks for the run.
type RunAs struct {
	UID     int64    `json:"uid"`
	Email   string   `json:"email,omitempty"`
	Roles   []int64  `json:"roles,omitempty"`
	Actions []string `json:"-"` // of the token itself, on reports: whether they may still read is judged by them. Never shown.
}

// Behalf is on whose behalf p is queried. For a placement from before that was recorded it is its placer, without roles and actions.
func (p Placement) Behalf() RunAs {
	if p.RunAs == nil {
		return RunAs{UID: p.PlacedByUserID}
	}
	return *p.RunAs
}

// PlacedFor reports whether p is queried on behalf of that user; 0 is no user.
func (p Placement) PlacedFor(uid int64) bool { return uid != 0 && p.Behalf().UID == uid }

// others reports whether p is known to be another person's. One recorded without a person belongs to none; what a caller without a user
// has placed belongs to somebody else for everybody, such callers too.
func (s Stamp) others(p Placement) bool {
	known := p.RunAs != nil || p.PlacedByUserID != 0
	return known && !p.PlacedFor(s.By.UID)
}

// runAs is on whose behalf a placement is queried after a connect: who writes its cells or puts it elsewhere. An address sent again
// changes nothing; from the placer it completes a record that has no runAs.
func (s Stamp) runAs(old Placement, addressOnly, moved bool) *RunAs {
	if addressOnly && !moved && (old.RunAs != nil || !old.PlacedFor(s.By.UID)) {
		return old.RunAs
	}
	by := s.By
	return &by
}
