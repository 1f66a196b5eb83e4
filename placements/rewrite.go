package placements

import "mooring/checksum"

// Rewrite is the body of PUT …/refresh: an add-in has just rewritten a placement's cells (decisions.md §6).
type Rewrite struct {
	Target
	EndResultCell  string                   `json:"endResultCell"`
	ResultChecksum *checksum.ResultChecksum `json:"resultChecksum"`
}

// Check finds what is wrong with the body whichever placement it means. The error is an *Error.
func (w Rewrite) Check() error {
	var f faults
	if w.EndResultCell != "" {
		f.endCell(w.EndResultCell, Anchor{})
	}
	f.checksum(w.ResultChecksum)
	return f.err()
}

// Refreshed returns p after its cells were rewritten: the stamps of a data write, the checksum replaced or cleared, a new end if one was
// sent. The error is an *Error.
func Refreshed(p Placement, w Rewrite, s Stamp) (Placement, error) {
	var f faults
	a, _ := p.Address()
	if w.EndResultCell != "" {
		p.EndResultCell = f.endCell(w.EndResultCell, a.Anchor).String()
	}
	f.checksum(w.ResultChecksum)
	if err := f.err(); err != nil {
		return Placement{}, err
	}
	p = written(p, s)
	p.ResultChecksum = w.ResultChecksum
	return p, nil
}
