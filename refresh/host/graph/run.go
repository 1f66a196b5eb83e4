package graph

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"mooring/placements"
	"mooring/refresh/host/rest"
)

// run sends the steps, the last batch of which closes the service's session. A step that is too much for the service, or reaches over cells
// that it may not touch, is sent again in parts.
func (w *writing) run(ctx context.Context, steps []step) error {
	for done := 0; len(steps) > 0; {
		n := w.fill(steps)
		replies, err := w.batchOf(ctx, steps[:n], n == len(steps))
		good := succeeded(replies)
		if good == n {
			steps, done = steps[n:], done+n
			continue
		}
		done, steps = done+good, steps[good:]
		if steps[0].beside {
			w.leave(ctx)
			return nil
		}
		if err == nil {
			err = w.refused(replies[good])
		}
		var parts []step
		if replies != nil || repeatable(steps[:n]) {
			parts = w.parts(&steps[0], err)
		}
		if parts == nil {
			return w.explain(ctx, &steps[0], err, done)
		}
		if err := rest.TakeQuota(ctx, w.limiter, w.faults, w.quotas, len(parts)); err != nil {
			return err
		}
		steps = append(parts, steps[1:]...)
	}
	w.service.id = ""
	return nil
}

// repeatable reports whether a batch of which it is not known how far it went can be sent again.
func repeatable(steps []step) bool {
	return !slices.ContainsFunc(steps, func(s step) bool { return len(s.rows.spans) == 0 })
}

// batchOf sends some steps. With the last of all goes the end of the service's session, whose own reply does not count: what was written
// stands.
func (w *writing) batchOf(ctx context.Context, steps []step, last bool) ([]reply, error) {
	requests := make([]request, len(steps))
	for i := range steps {
		requests[i] = steps[i].request
	}
	if last && w.service.id != "" {
		requests = append(requests, sendBody(http.MethodPost, w.workbook(w.document)+"/closeSession", []byte("{}")))
	}
	w.calls++
	replies, err := w.send(ctx, requests)
	return replies[:min(len(replies), len(steps))], err
}

// parts are the steps to send in place of one that was refused; nil when there are none.
func (w *writing) parts(step *step, err error) []step {
	switch {
	case isTooMuch(err) && w.halvings < halvings*batchRequests:
		w.halvings++
		return step.halves()
	case rest.IsStatus(err, http.StatusForbidden):
		return step.apart()
	}
	return nil
}

// succeeded is how many requests of a chain were carried out.
func succeeded(replies []reply) int {
	for i, r := range replies {
		if r.Status/100 != 2 {
			return i
		}
	}
	return len(replies)
}

// explain classifies a step's error. A refusal after other steps were carried out leaves them written: that is no refusal of the whole.
func (w *writing) explain(ctx context.Context, step *step, err error, done int) error {
	if rest.IsStatus(err, http.StatusNotFound) && !isGoneSession(err) {
		// The document was there when the session opened: a sheet or a marker went.
		return w.changed(err)
	}
	if rest.IsStatus(err, http.StatusForbidden) && step.block != nil {
		if locked := w.lockedIn(ctx, step, err); locked != nil {
			err = locked
		}
	}
	err = w.fault(ctx, w.document, err)
	if done > 0 {
		return w.faults.Partly(w.document, err)
	}
	return err
}

// isGoneSession reports whether a refusal speaks of the service's session, not of what a request names.
func isGoneSession(err error) bool {
	var refused *rest.Refusal
	return errors.As(err, &refused) && refused.Says("invalidSession")
}

// fill is how many of the steps fit into one batch, with one more to close the session.
func (w *writing) fill(steps []step) int {
	size, cells := 0, 0
	for i, s := range steps {
		size += len(s.Body) + len(s.URL)
		if len(s.rows.spans) > 0 {
			cells += s.cells.size.Rows * s.cells.size.Columns
		}
		if i > 0 && (i == batchRequests-1 || size > batchBytes || cells > batchParts*rangeCells) {
			return i
		}
	}
	return len(steps)
}

// maxGraphLocked bounds how many places of locked cells a message names, and the requests of each step of looking for them.
const maxGraphLocked = 10

// lockedIn is the fault of a step over locked cells of a protected sheet; nil when it was refused for another reason. It halves the step's
// rectangle until what is locked is found.
func (w *writing) lockedIn(ctx context.Context, step *step, cause error) error {
	var sheet struct {
		Protected bool `json:"protected"`
	}
	path := w.sheetPath(w.document, step.cells.sheet) + "/protection?$select=protected"
	if replies, err := w.send(ctx, []request{newGet(path)}); err != nil || w.decode(replies[0], &sheet) != nil || !sheet.Protected {
		return nil
	}
	locked := w.searchLocked(ctx, []place{step.cells})
	if len(locked) == 0 {
		return nil
	}
	names := ""
	for i, p := range locked {
		if i > 0 {
			names += ", "
		}
		names += p.name()
	}
	return w.faults.Say(placements.Conflict, cause, "The sheet %q of the spreadsheet %q is protected, and cells that the report writes "+
		"are locked: %s. Unlock them, or place the report elsewhere.", step.cells.sheet, w.document, names)
}

// searchLocked finds the locked cells of rectangles, which it takes whole where the service does not say.
func (w *writing) searchLocked(ctx context.Context, places []place) (locked []place) {
	for len(places) > 0 && len(locked) < maxGraphLocked {
		n := min(len(places), batchRequests)
		requests := make([]request, n)
		for i, p := range places[:n] {
			requests[i] = newGet(w.rangePath(w.document, p) + "/format/protection?$select=locked")
		}
		replies, err := w.send(ctx, requests)
		if err != nil {
			return append(locked, places...)
		}
		next := places[n:]
		for i, p := range places[:n] {
			var cells struct {
				Locked *bool `json:"locked"`
			}
			switch err := w.decode(replies[i], &cells); {
			case err != nil, cells.Locked != nil && *cells.Locked, cells.Locked == nil && p.size.Rows*p.size.Columns == 1:
				locked = append(locked, p)
			case cells.Locked == nil:
				next = append(next, p.halves()...)
			}
		}
		places = next
	}
	return locked
}
