package parameter

import (
	"errors"

	"mooring/placements"
	"mooring/refresh/host"
)

// Reading is what the cells said from which a placement takes values, and where they stood.
type Reading struct {
	Values map[string]*placements.ParameterValue // nil: the cell was empty
	Raw    map[string]*placements.ParameterValue // what cells hold that is refused, if it is a value
	Places map[string]placements.Location        // of those that were found
	Marked map[string]bool                       // found by their names
	Lost   []string                              // were deleted
	Err    error                                 // why they are no values: a *placements.Fault
}

// NewReading is what was found of the cells of feeds, in their order; byName says that the host lists no name whose cells were deleted.
func NewReading(feeds []Feed, found []host.FoundParameter, byName bool) *Reading {
	r := &Reading{
		Values: map[string]*placements.ParameterValue{}, Raw: map[string]*placements.ParameterValue{},
		Places: map[string]placements.Location{}, Marked: map[string]bool{},
	}
	for i, one := range feeds {
		f := found[i]
		if f.Err == nil && byName && one.Named >= placements.NameStood && !f.Marked {
			f.Err = one.Cells.Fault(host.ErrParameterDeleted)
		}
		r.take(one, f)
	}
	return r
}

// take takes over what was found of one. The first fault is that of all.
func (r *Reading) take(one Feed, f host.FoundParameter) {
	if f.Err != nil {
		if errors.Is(f.Err, host.ErrParameterDeleted) {
			r.Lost = append(r.Lost, one.Name)
		}
		if r.Err == nil {
			r.Err = f.Err
		}
		return
	}
	r.Places[one.Name], r.Marked[one.Name] = f.At, f.Marked
	cells := make([]placements.ParameterCell, len(f.Cells))
	for i, c := range f.Cells {
		cells[i] = cellOf(c)
	}
	v, err := one.Read(f.At.String(), cells, f.Date1904)
	if err == nil {
		r.Values[one.Name] = v
		return
	}
	r.Raw[one.Name] = one.ReadRaw(cells)
	if r.Err == nil {
		r.Err = placements.ValueConflict(err.Error(), err)
	}
}

func cellOf(c host.TypedCell) placements.ParameterCell {
	cell := placements.ParameterCell{Value: c.Value, Date: c.Date}
	switch {
	case c.Covered:
		cell.State = placements.CellCovered
	case c.Unknown:
		cell.State = placements.CellUncomputed
	}
	return cell
}

// SameValues reports whether both say the same values.
func (r *Reading) SameValues(other *Reading) bool {
	for name, v := range r.Values {
		w := other.Values[name]
		if (v == nil) != (w == nil) || v != nil && !v.Equal(*w) {
			return false
		}
	}
	return len(r.Values) == len(other.Values)
}

// note adds to the values of a placement the cells that were read, with what those hold that are refused.
func (r *Reading) note(values placements.ParameterSettings) {
	for name, at := range r.Places {
		one := values[name]
		if v := r.Values[name]; one.Value == nil && v != nil {
			one.Value = v
		}
		if one.Value == nil {
			one.Value = r.Raw[name]
		}
		one.Cell = at.String()
		values[name] = one
	}
}
