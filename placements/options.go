package placements

import "slices"

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

// Complete is o with the default of each option that it does not say.
func (o Options) Complete() Options {
	return o.Over(Options{OnEdit: Sent(Keep), ShiftRows: Sent(false), BreakSignature: Sent(false)})
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
