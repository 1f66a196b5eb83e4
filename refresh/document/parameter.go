package document

import (
	"context"
	"errors"
	"strings"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/plan"
	"mooring/refresh/site"
	"mooring/refresh/trace"
)

// ParameterCell is a parameter that a placement takes from a cell of its document, and where that is.
type ParameterCell struct {
	*placements.Parameter
	Cells  host.ParameterCells
	Number int                  // of its hidden name
	Named  placements.NameState // whether that is of the cell
}

// ParameterCells are those of a placement of a report with these parameters. What the report no longer lets come from a cell is none.
func ParameterCells(p *placements.Placement, of []placements.Parameter) (list []ParameterCell) {
	for i := range of {
		said := p.Parameters[of[i].Name]
		at, err := placements.ParseLocation(said.Cell)
		if said.Cell == "" || err != nil || !of[i].FromCells {
			continue
		}
		m := p.Marks[of[i].Name]
		c := ParameterCell{Parameter: &of[i], Number: m.Number, Named: m.Named, Cells: host.ParameterCells{At: at, List: of[i].List}}
		if m.Named != placements.NameNone {
			c.Cells.ID = host.ParameterID(p.ID, m.Number)
		}
		list = append(list, c)
	}
	return list
}

// Seen is what the cells said from which a placement takes values, and where they stood.
type Seen struct {
	Values map[string]*placements.ParameterValue // nil: the cell was empty
	Raw    map[string]*placements.ParameterValue // what cells hold that is refused, if it is a value
	Places map[string]placements.Location        // of those that were found
	Marked map[string]bool                       // found by their names
	Lost   []string                              // were deleted
	Err    error                                 // why they are no values: a *placements.Fault
}

// NewSeen is what was found of cells, in their order; byName says that the host lists no name whose cells were deleted.
func NewSeen(cells []ParameterCell, found []host.FoundParameter, byName bool) *Seen {
	s := &Seen{
		Values: map[string]*placements.ParameterValue{}, Raw: map[string]*placements.ParameterValue{},
		Places: map[string]placements.Location{}, Marked: map[string]bool{},
	}
	for i, c := range cells {
		f := found[i]
		if f.Err == nil && byName && c.Named >= placements.NameStood && !f.Marked {
			f.Err = c.Cells.Fault(host.ErrParameterDeleted)
		}
		s.take(c, f)
	}
	return s
}

// take takes over what was found of one. The first fault is that of all.
func (s *Seen) take(c ParameterCell, f host.FoundParameter) {
	if f.Err != nil {
		if errors.Is(f.Err, host.ErrParameterDeleted) {
			s.Lost = append(s.Lost, c.Name)
		}
		if s.Err == nil {
			s.Err = f.Err
		}
		return
	}
	s.Places[c.Name], s.Marked[c.Name] = f.At, f.Marked
	cells := converted(f.Cells, cellOf)
	v, err := c.Read(f.At.String(), cells, f.Date1904)
	if err == nil {
		s.Values[c.Name] = v
		return
	}
	s.Raw[c.Name] = c.ReadRaw(cells)
	if s.Err == nil {
		s.Err = &placements.Fault{Class: placements.Conflict, Message: err.Error(), Err: err}
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

// same reports whether both say the same values.
func (s *Seen) same(other *Seen) bool {
	for name, v := range s.Values {
		w := other.Values[name]
		if (v == nil) != (w == nil) || v != nil && !v.Equal(*w) {
			return false
		}
	}
	return len(s.Values) == len(other.Values)
}

// ReadParameters reads cells of placements of a document, without having it for itself: in one session, and in one request where all names
// stand. Of each placement it returns what its cells said.
func (w *Editor) ReadParameters(ctx context.Context, ref site.Ref, of [][]ParameterCell) (seen []*Seen, calls int, err error) {
	ctx, span := trace.Start(ctx, "parameters")
	defer span.End()
	h, none := w.Sites.HostOf(ref)
	if none != nil {
		return nil, 0, none
	}
	s, err := w.Sites.Open(ctx, h, ref)
	if err != nil {
		return nil, 0, err
	}
	var all []host.ParameterCells
	for _, cells := range of {
		all = append(all, converted(cells, ParameterCell.wanted)...)
	}
	_, found, err := s.(host.ParameterReader).ReadParameters(ctx, nil, all)
	if err = errors.Join(err, s.Close()); err != nil {
		return nil, 0, err
	}
	for _, cells := range of {
		seen = append(seen, NewSeen(cells, found[:len(cells)], ref.Kind == placements.SheetsA))
		for _, f := range found[:len(cells)] {
			calls += f.Calls
		}
		found = found[len(cells):]
	}
	return seen, calls, nil
}

func (c ParameterCell) wanted() host.ParameterCells { return c.Cells }

// again are the cells of the task as they are read along with its block: where they stood.
func (o *Task) again() (list []host.ParameterCells) {
	for _, c := range o.Cells {
		cells := c.Cells
		if at, seen := o.Seen.Places[c.Name]; seen {
			cells.At = at
		}
		list = append(list, cells)
	}
	return list
}

// readAll reads blocks and, along with them, the cells from which the tasks of targets take values. Where one says something else by now than the
// task was queried with, the target is left.
func (w *write) readAll(ctx context.Context, s host.Session, list []host.Wanted, targets []*target) ([]host.Found, error) {
	var cells []host.ParameterCells
	for _, b := range targets {
		cells = append(cells, b.task.again()...)
	}
	if len(cells) == 0 || w.sheet != nil {
		return s.Read(ctx, list)
	}
	found, parameters, err := s.(host.ParameterReader).ReadParameters(ctx, list, cells)
	if err != nil {
		return nil, err
	}
	for _, b := range targets {
		n := len(b.task.Cells)
		if n > 0 {
			b.looked(NewSeen(b.task.Cells, parameters[:n], w.ref.Kind == placements.SheetsA))
		}
		parameters = parameters[n:]
	}
	return found, nil
}

// looked takes over what the cells of the task say by now.
func (b *target) looked(now *Seen) {
	b.out.Seen = now
	switch {
	case now.Err != nil:
		b.out.Err = now.Err
	case !now.same(b.task.Seen):
		b.out.Left, b.out.Asks = true, true
	}
}

// seen is what the cells said that the write looked at, or the add-in.
func (b *target) seen() *Seen {
	if b.out.Seen != nil {
		return b.out.Seen
	}
	return b.task.Seen
}

// checkCells refuses a block that reaches a cell from which it takes a value.
func (b *draft) checkCells() {
	if b.out.Err != nil || len(b.task.Cells) == 0 {
		return
	}
	reach := b.reach()
	for _, c := range b.task.Cells {
		at, found := b.seen().Places[c.Name]
		if found && strings.EqualFold(at.Sheet, b.view.Sheet) && reach.Intersects(rectAt(at.Anchor, checksum.Extent{Rows: at.Rows, Columns: at.Columns})) {
			b.out.Err = plan.Conflict("%s, from which %s takes its value, lies inside the block of the report itself, where refreshes write: "+
				"choose a cell outside", at, c.Label())
			return
		}
	}
}

// names are the cells that the document is to have names for from the write on.
func (b *draft) names() (list []host.ParameterCells) {
	if b.task.addin() {
		return nil // which names them itself
	}
	for _, c := range b.task.Cells {
		if at, found := b.seen().Places[c.Name]; found && !b.seen().Marked[c.Name] {
			list = append(list, host.ParameterCells{ID: host.ParameterID(b.now.ID, c.Number), At: at, List: c.List})
		}
	}
	return list
}

// namedSince says whether the document has a name for a cell after the write.
func (b *draft) namedSince(c ParameterCell) placements.NameState {
	switch marked := b.seen().Marked[c.Name]; {
	case b.task.addin() && !b.out.Sent:
		return placements.NameNone
	case b.task.addin():
		return placements.NameGiven
	case marked || b.out.Sent:
		return placements.NameStood
	}
	return placements.NameNone
}

// followed notes in p where the cells stand after the write, and whether their names do.
func (b *draft) followed(p *placements.Placement) {
	for _, c := range b.task.Cells {
		at, found := b.seen().Places[c.Name]
		if said, stays := p.Parameters[c.Name]; !found || !stays || said.Cell != b.task.Placement.Parameters[c.Name].Cell {
			continue
		}
		at.Anchor = shifted(b.made, at.Sheet, at.Anchor)
		p.Follow(c.Name, at, b.namedSince(c))
	}
}
