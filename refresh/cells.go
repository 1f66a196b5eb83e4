package refresh

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"mooring/placements"
	"mooring/refresh/document"
	"mooring/refresh/fault"
	"mooring/refresh/parameter"
	"mooring/refresh/site"
	"mooring/refresh/source"
	"mooring/storage"
	"mooring/storage/work"
)

// cellReader reads the cells from which placements take values.
type cellReader struct {
	ledger *ledger
	gate   *gate
	sites  *site.Locator
	log    *slog.Logger
}

// feeds are the parameters that a placement takes from cells.
func (c *cellReader) feeds(p storage.Placed) []parameter.Feed {
	return parameter.Feeds(&p.Placement, c.ledger.report.Parameters)
}

// read reads the cells from which placements take values, each document in one step, beside the others, and leaves out the placements of a
// document that cannot be read. What cells say that is no value is left to who queries.
func (c *cellReader) read(ctx context.Context, list []storage.Placed) (may []storage.Placed) {
	var todo []storage.Placed
	for _, p := range list {
		if len(c.feeds(p)) > 0 && c.ledger.readings.Of(&p.Placement) == nil {
			todo = append(todo, p)
		}
	}
	if len(todo) == 0 {
		return list
	}
	c.ledger.progress("reading the cells of parameters")
	unread := c.readDocuments(ctx, todo)
	var left []storage.Placed
	for _, p := range list {
		if unread[p.ID] != nil {
			left = append(left, p)
		} else {
			may = append(may, p)
		}
	}
	faults := c.faults(ctx, left, unread)
	if ctx.Err() != nil {
		return nil // the caller knows why
	}
	for i, p := range left {
		c.ledger.failed(p, faults[i])
	}
	return may
}

// maxCellReads is how many documents are read at a time for cells.
const maxCellReads = 8

// readDocuments reads the cells of placements, and returns why those of some could not be.
func (c *cellReader) readDocuments(ctx context.Context, todo []storage.Placed) (unread map[string]error) {
	var (
		mu      sync.Mutex
		running sync.WaitGroup
	)
	unread = map[string]error{}
	slots := make(source.Slots, maxCellReads)
	refs, in := c.sites.ByDocument(c.ledger.d.Tenant, todo)
	for _, ref := range refs {
		if slots.Take(ctx) != nil {
			break
		}
		running.Go(func() {
			defer slots.Give()
			readings, calls, err := c.readDocument(ctx, ref, in[ref])
			mu.Lock()
			defer mu.Unlock()
			c.ledger.run.HostCalls += calls
			for i, p := range in[ref] {
				if err != nil {
					unread[p.ID] = err
				} else {
					c.ledger.readings.Keep(&p.Placement, readings[i])
				}
			}
		})
	}
	running.Wait()
	return unread
}

// readDocument reads the cells of the placements of one document. A panic of a host is an error of that.
func (c *cellReader) readDocument(ctx context.Context, ref site.Ref, list []storage.Placed) (readings []*parameter.Reading, calls int, err error) {
	defer func() {
		if p := recover(); p != nil {
			c.log.ErrorContext(ctx, "reading cells panicked", "tenant", ref.Tenant, "document", ref.ID, "panic", p)
			err = errors.New("a panic; the log says more")
		}
	}()
	of := make([][]parameter.Feed, len(list))
	for i, p := range list {
		of[i] = c.feeds(p)
	}
	return parameter.ReadDocument(ctx, c.sites, ref, of)
}

// faults are why placements are not refreshed whose documents could not be read, as they are told.
func (c *cellReader) faults(ctx context.Context, list []storage.Placed, unread map[string]error) []*placements.Fault {
	faults := make([]*placements.Fault, len(list))
	opened, err := c.opened(ctx, list)
	for i, p := range list {
		if err != nil {
			faults[i] = fault.Of(err)
			continue
		}
		o := document.Receipt{Task: &document.Task{Placement: p}, Opened: opened[i], Err: unread[p.ID]}
		faults[i] = c.ledger.faultOfTask(&o)
	}
	return faults
}

// opened says of each placement whether an agent has had its document open: it has written the block there, or seen the name of a cell.
func (c *cellReader) opened(ctx context.Context, list []storage.Placed) (opened []bool, err error) {
	if len(list) == 0 {
		return nil, nil
	}
	queries := make([]work.BlockQuery, len(list))
	for i, p := range list {
		queries[i] = work.BlockQuery{Deployment: c.ledger.d, ReportID: c.ledger.report.ID, Known: p}
	}
	blocks, err := c.ledger.queue.Blocks(ctx, c.ledger.d.Tenant, queries)
	if err != nil {
		return nil, err
	}
	opened = make([]bool, len(list))
	for i, p := range list {
		if opened[i], err = document.Opened(p.Placement, blocks[i].Rows); err != nil {
			return nil, err
		}
		for _, m := range p.Marks {
			opened[i] = opened[i] || m.Named >= placements.NameStood
		}
	}
	return opened, nil
}

// changed notes that the cells of a placement said something else at its write than before its query, and reports whether the source is to be
// asked for that: once.
func (c *cellReader) changed(o *document.Receipt) (again bool) {
	p := o.Task.Placement
	if c.ledger.readings.Replace(&p.Placement, &o.Now.Placement, o.Reading) {
		return true
	}
	c.ledger.failed(p, &placements.Fault{
		Class:   placements.Conflict,
		Message: "cells from which the report takes values changed twice while it was queried: refresh it again once they stay",
	})
	return false
}

// readSheet takes over the cells of a placement as an add-in has read them. The error is a *NeedError where it has not, and an *Error where it
// sends what is not to come from a cell.
func (c *cellReader) readSheet(p storage.Placed, sheet document.Sheet) error {
	feeds := c.feeds(p)
	if err := sheet.CheckParameters(feeds, c.ledger.report.Parameters); err != nil {
		return err
	}
	if len(feeds) == 0 {
		return nil
	}
	reading, need := sheet.ReadParameters(feeds)
	if need != nil {
		return need
	}
	c.ledger.readings.Keep(&p.Placement, reading)
	return nil
}

// readOne reads the cells of one placement for a preview.
func (c *cellReader) readOne(ctx context.Context, p storage.Placed) error {
	if len(c.feeds(p)) == 0 {
		return nil
	}
	if f := c.gate.refusal(p); f != nil {
		return f
	}
	at, err := c.sites.Find(ctx, c.ledger.d, p.Placement)
	if err != nil {
		return err
	}
	one := []storage.Placed{p}
	readings, _, err := c.readDocument(ctx, at, one)
	if err != nil {
		return c.faults(ctx, one, map[string]error{p.ID: err})[0]
	}
	c.ledger.readings.Keep(&p.Placement, readings[0])
	return nil
}
