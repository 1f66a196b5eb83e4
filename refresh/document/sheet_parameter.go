package document

import (
	"fmt"
	"maps"
	"slices"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/parameter"
)

// SheetParameter is what an add-in has read of the cells from which a placement takes the value of a parameter.
type SheetParameter struct {
	Cells []host.TypedCell
	At    *placements.Location // where they stand; nil: where the placement has them
	Err   error                // why they cannot be read: a cause of host.ParameterCells
}

// CheckParameters refuses what was sent of a parameter that the placement does not take from a cell.
func (s Sheet) CheckParameters(feeds []parameter.Feed, of []placements.Parameter) error {
	var wrong []placements.Detail
	for _, name := range slices.Sorted(maps.Keys(s.Parameters)) {
		is := slices.ContainsFunc(feeds, func(f parameter.Feed) bool { return f.Name == name })
		switch p := placements.FindParameter(of, name); {
		case p == nil:
			wrong = append(wrong, placements.Detail{
				Pointer: "/parameters/" + name, Code: placements.CodeParameterUndeclared,
				Message: fmt.Sprintf("The report has no parameter %.80q: leave it out.", name),
			})
		case !is:
			wrong = append(wrong, placements.Detail{
				Pointer: "/parameters/" + name, Code: placements.CodeParameterCell,
				Message: fmt.Sprintf("The placement takes %.80s from no cell: leave it out, or name a cell for it in a connect.", name),
			})
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	return placements.Faulty(wrong...)
}

// ReadParameters is what the cells say, or a *NeedError that asks for all of them where one was not sent.
func (s Sheet) ReadParameters(feeds []parameter.Feed) (*parameter.Reading, *NeedError) {
	found := make([]host.FoundParameter, len(feeds))
	for i, c := range feeds {
		sent, ok := s.Parameters[c.Name]
		if !ok {
			return nil, &NeedError{Parameters: feeds}
		}
		f := host.FoundParameter{At: c.Cells.At, Marked: c.Named != placements.NameNone, Date1904: s.Date1904, Cells: sent.Cells}
		if sent.At != nil {
			f.At = *sent.At
		}
		if why := sent.unread(c.Cells); why != nil {
			f.Err = c.Cells.Fault(why)
		}
		found[i] = f
	}
	return parameter.NewReading(feeds, found, false), nil
}

// unread is why what was sent is not taken for the cells of a parameter: a cause of host.ParameterCells, nil if it is.
func (p SheetParameter) unread(of host.ParameterCells) error {
	switch {
	case p.Err != nil:
		return p.Err
	case len(p.Cells) != 1 && !of.List:
		return host.ErrParameterShape
	case len(p.Cells) > host.MaxParameterCells:
		return host.ErrParameterLarge
	case p.At == nil:
		return nil
	}
	size := checksum.Extent{Rows: p.At.Rows, Columns: p.At.Columns}
	if err := of.CheckSize(size); err != nil {
		return err
	}
	if size.Rows*size.Columns != len(p.Cells) {
		return host.ErrParameterShape
	}
	return nil
}
