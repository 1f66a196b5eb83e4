package document

import (
	"context"
	"fmt"
	"strings"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/parameter"
)

// again are the cells of the task as they are read along with its block: where they stood.
func (o *Task) again() (list []host.ParameterCells) {
	for _, c := range o.Feeds {
		cells := c.Cells
		if at, seen := o.Reading.Places[c.Name]; seen {
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
		n := len(b.task.Feeds)
		if n > 0 {
			b.recheck(parameter.NewReading(b.task.Feeds, parameters[:n], parameter.ListsNoDeleted(w.ref)))
		}
		parameters = parameters[n:]
	}
	return found, nil
}

// recheck takes over what the cells of the task say by now.
func (b *target) recheck(now *parameter.Reading) {
	b.out.Reading = now
	switch {
	case now.Err != nil:
		b.out.Err = now.Err
	case !now.SameValues(b.task.Reading):
		b.out.Left, b.out.Asks = true, true
	}
}

// reading is what the cells said that the write looked at, or the add-in.
func (b *target) reading() *parameter.Reading {
	if b.out.Reading != nil {
		return b.out.Reading
	}
	return b.task.Reading
}

// checkCells refuses a block that reaches a cell from which it takes a value.
func (b *draft) checkCells() {
	if b.out.Err != nil || len(b.task.Feeds) == 0 {
		return
	}
	reach := b.reach()
	for _, c := range b.task.Feeds {
		at, found := b.reading().Places[c.Name]
		if found && strings.EqualFold(at.Sheet, b.view.Sheet) && reach.Intersects(rectAt(at.Anchor, checksum.Extent{Rows: at.Rows, Columns: at.Columns})) {
			b.out.Err = placements.ValueConflict(fmt.Sprintf("%s, from which %s takes its value, lies inside the block of the report itself, where refreshes write: "+
				"choose a cell outside", at, c.Label()), nil)
			return
		}
	}
}

// names are the cells that the document is to have names for from the write on.
func (b *target) names() (list []host.ParameterCells) {
	if b.task.addin() {
		return nil // which names them itself
	}
	for _, c := range b.task.Feeds {
		if at, found := b.reading().Places[c.Name]; found && !b.reading().Marked[c.Name] {
			list = append(list, host.ParameterCells{ID: host.ParameterID(b.now.ID, c.Number), At: at, List: c.List})
		}
	}
	return list
}

// namedSince says whether the document has a name for a cell after the write.
func (b *target) namedSince(c parameter.Feed) placements.NameState {
	switch marked := b.reading().Marked[c.Name]; {
	case b.task.addin() && !b.out.Sent:
		return placements.NameNone
	case b.task.addin():
		return placements.NameGiven
	case marked || b.out.Sent:
		return placements.NameStood
	}
	return placements.NameNone
}

// followCells notes in p where the cells stand after the write, and whether their names do.
func (b *draft) followCells(p *placements.Placement) {
	for _, c := range b.task.Feeds {
		at, found := b.reading().Places[c.Name]
		if said, stays := p.Parameters[c.Name]; !found || !stays || said.Cell != b.task.Placement.Parameters[c.Name].Cell {
			continue
		}
		at.Anchor = shifted(b.made, at.Sheet, at.Anchor)
		p.Follow(c.Name, at, b.namedSince(c))
	}
}
