package refresh

import (
	"context"
	"errors"
	"sync"

	"mooring/placements"
	"mooring/refresh/document"
	"mooring/refresh/fault"
	"mooring/refresh/site"
	"mooring/refresh/source"
	"mooring/storage"
)

// looked is what the cells said from which a placement takes values, by its settings of then.
type looked struct {
	*document.Seen
	of    placements.ParameterSettings
	again bool // they said something else before, for which the source was queried
}

// cellsOf are the cells from which a placement takes values.
func (a *ledger) cellsOf(p storage.Placed) []document.ParameterCell {
	if a.report == nil {
		return nil
	}
	return document.ParameterCells(&p.Placement, a.report.Parameters)
}

// seenOf is what the cells of a placement said; nil where they were not read.
func (a *ledger) seenOf(p storage.Placed) *looked {
	if one := a.seen[p.ID]; one != nil && one.of.Equal(p.Parameters) {
		return one
	}
	return nil
}

// see notes what the cells of a placement say.
func (a *ledger) see(p storage.Placed, seen *document.Seen) {
	if a.seen == nil {
		a.seen = map[string]*looked{}
	}
	a.seen[p.ID] = &looked{Seen: seen, of: p.Parameters}
}

// argumentsOf are the values with which a placement is queried. The error is a *placements.Fault: it says none, or what its report does not
// admit, or its cells do not say any.
func argumentsOf(a *ledger, p storage.Placed) (placements.Arguments, error) {
	if len(a.cellsOf(p)) == 0 {
		return p.Parameters.Arguments(a.report.Parameters, nil)
	}
	seen := a.seenOf(p)
	switch {
	case seen == nil:
		return nil, errUnread
	case seen.Err != nil:
		return nil, seen.Err
	}
	return p.Parameters.Arguments(a.report.Parameters, seen.Values)
}

// errUnread: what the cells say is not known yet.
var errUnread = &placements.Fault{Class: placements.Transient, Message: "the cells from which the report takes values were not read"}

// valuesOf are those with which a placement was queried, or would have been but for the one at fault, and the cells of those that were read;
// nil for none.
func valuesOf(a *ledger, p storage.Placed) placements.ParameterSettings {
	if a.report == nil || len(a.report.Parameters)+len(p.Parameters) == 0 {
		return nil
	}
	values := placements.ParameterSettings{}
	if with, err := argumentsOf(a, p); err == nil {
		for name, v := range with.Values() {
			values[name] = placements.ParameterSetting{Value: &v}
		}
	} else {
		for name, said := range p.Parameters {
			if said.Value != nil {
				values[name] = said
			}
		}
	}
	if seen := a.seenOf(p); seen != nil {
		seen.tell(values)
	}
	return values
}

// tell adds the cells that were read, with what those hold that are refused.
func (l *looked) tell(values placements.ParameterSettings) {
	for name, at := range l.Places {
		one := values[name]
		if v := l.Values[name]; one.Value == nil && v != nil {
			one.Value = v
		}
		if one.Value == nil {
			one.Value = l.Raw[name]
		}
		one.Cell = at.String()
		values[name] = one
	}
}

// readCells reads the cells from which placements take values, each document in one step, beside the others, and leaves out the placements of a
// document that cannot be read. What cells say that is no value is left to who queries.
func (a *attempt) readCells(ctx context.Context, list []storage.Placed) (may []storage.Placed) {
	var todo []storage.Placed
	for _, p := range list {
		if len(a.ledger.cellsOf(p)) > 0 && a.ledger.seenOf(p) == nil {
			todo = append(todo, p)
		}
	}
	if len(todo) == 0 {
		return list
	}
	a.ledger.progress("reading the cells of parameters")
	unread := a.readDocuments(ctx, todo)
	if ctx.Err() != nil {
		return nil // the caller knows why
	}
	for _, p := range list {
		if err := unread[p.ID]; err != nil {
			a.ledger.failed(p, a.ledger.unread(p, err))
			continue
		}
		may = append(may, p)
	}
	return may
}

// maxCellReads is how many documents are read at a time for cells.
const maxCellReads = 8

// readDocuments reads the cells of placements, and returns why those of some could not be.
func (a *attempt) readDocuments(ctx context.Context, todo []storage.Placed) (unread map[string]error) {
	var (
		mu      sync.Mutex
		running sync.WaitGroup
	)
	unread = map[string]error{}
	slots := make(source.Slots, maxCellReads)
	refs, in := a.byDocument(todo)
	for _, ref := range refs {
		if slots.Take(ctx) != nil {
			break
		}
		running.Go(func() {
			defer slots.Give()
			seen, calls, err := a.readDocument(ctx, ref, in[ref])
			mu.Lock()
			defer mu.Unlock()
			a.ledger.run.HostCalls += calls
			for i, p := range in[ref] {
				if err != nil {
					unread[p.ID] = err
				} else {
					a.ledger.see(p, seen[i])
				}
			}
		})
	}
	running.Wait()
	return unread
}

// readDocument reads the cells of the placements of one document. A panic of a host is an error of that.
func (a *attempt) readDocument(ctx context.Context, ref site.Ref, list []storage.Placed) (seen []*document.Seen, calls int, err error) {
	defer func() {
		if p := recover(); p != nil {
			a.ending.log.ErrorContext(ctx, "reading cells panicked", "tenant", ref.Tenant, "document", ref.ID, "panic", p)
			err = errors.New("a panic; the log says more")
		}
	}()
	of := make([][]document.ParameterCell, len(list))
	for i, p := range list {
		of[i] = a.ledger.cellsOf(p)
	}
	return a.documents.ReadParameters(ctx, ref, of)
}

// unread is why a placement is not refreshed whose document could not be read, as it is told.
func (a *ledger) unread(p storage.Placed, err error) *placements.Fault {
	o := document.Receipt{Task: &document.Task{Placement: p}, Err: err}
	for _, m := range p.Marks {
		o.Opened = o.Opened || m.Named >= placements.NameStood // which only one who had the document open can tell
	}
	return a.faultOfTask(&o)
}

// asks notes that the cells of a placement said something else at its write than before its query, and reports whether the source is to be
// asked for that: once.
func (a *ledger) asks(o *document.Receipt) bool {
	p := o.Task.Placement
	before := a.seenOf(p)
	a.see(o.Now, o.Seen)
	if before != nil && before.again {
		a.failed(p, &placements.Fault{
			Class:   placements.Conflict,
			Message: "cells from which the report takes values changed twice while it was queried: refresh it again once they stay",
		})
		return false
	}
	a.seen[o.Now.ID].again = true
	return true
}

// clientCells are the cells of a placement as the add-in has read them. The error is a *NeedError where it has not, and an *Error where it sends
// what is not to come from a cell.
func clientCells(a *ledger, p storage.Placed, sheet Sheet) error {
	cells := a.cellsOf(p)
	if err := sheet.CheckParameters(cells, a.report.Parameters); err != nil {
		return err
	}
	if len(cells) == 0 {
		return nil
	}
	seen, need := sheet.SeeParameters(cells)
	if need != nil {
		return need
	}
	a.see(p, seen)
	return nil
}

// cellsFor reads the cells of one placement for a preview.
func (a *attempt) cellsFor(ctx context.Context, p storage.Placed) error {
	if len(a.ledger.cellsOf(p)) == 0 {
		return nil
	}
	if f := a.gate.refusal(p); f != nil {
		return f
	}
	at, err := a.sites.Find(ctx, a.ledger.d, p.Placement)
	if err != nil {
		return err
	}
	seen, _, err := a.readDocument(ctx, at, []storage.Placed{p})
	if err != nil {
		return a.ledger.unread(p, fault.Of(err))
	}
	a.ledger.see(p, seen[0])
	return nil
}
