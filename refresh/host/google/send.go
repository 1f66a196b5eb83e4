package google

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"net/http"
	"net/url"

	"mooring/refresh/host/rest"
)

// send sends the requests in batches, one after the other; the last ones are markers. What the session knew of the document is then out
// of date.
func (w *writing) send(ctx context.Context, requests [][]byte, markers int) error {
	parts := pack(requests, partBytes, partRequests)
	// All at once: a write should not have to wait halfway.
	if err := rest.TakeQuota(ctx, w.limiter, w.faults, w.writes, len(parts)); err != nil || len(parts) == 0 {
		return err
	}
	for sent := 0; len(parts) > 0; {
		w.calls++
		var looks []lookup
		if len(parts) == 1 {
			looks = w.looks()
		}
		err := w.update(ctx, parts[0], looks)
		if isTakenName(err) && w.nextGeneration() {
			if requests, markers, err = w.renamed(ctx, requests, markers); err != nil {
				return err
			}
			parts = pack(requests[sent:], partBytes, partRequests)
			continue
		}
		if isRefusedInsert(err) && sent == 0 && !w.roomy {
			if requests, markers, err = w.withRoom(ctx); err != nil {
				return err
			}
			parts = pack(requests, partBytes, partRequests)
			continue
		}
		if len(parts) == 1 && w.isRefusedIdentity(err) {
			w.silent = true
			if requests, markers, err = w.renamed(ctx, requests, markers); err != nil {
				return err
			}
			parts = pack(requests[sent:], partBytes, partRequests)
			continue
		}
		if err != nil {
			return w.explain(ctx, err, sent == 0)
		}
		sent += len(parts[0])
		parts = parts[1:]
	}
	w.forget()
	w.read.Wrote(w.blocks)
	w.parameters.Wrote(w.blocks)
	return nil
}

// isTakenName reports whether a batch was refused because the name of a marker is taken.
func isTakenName(err error) bool {
	var refused *rest.Refusal
	return errors.As(err, &refused) && refused.Status == http.StatusBadRequest &&
		refused.Says("Cannot add named range with name: "+markerPrefix)
}

// isRefusedInsert reports whether a batch was refused because cells could not be inserted, as happens near a sheet's end
// (estuary/connectors#332).
func isRefusedInsert(err error) bool {
	var refused *rest.Refusal
	return errors.As(err, &refused) && refused.Status == http.StatusBadRequest && refused.Says("].insertRange:")
}

// withRoom is all requests anew, which first make the sheets larger by as much as is inserted.
func (w *writing) withRoom(ctx context.Context) (requests [][]byte, markers int, err error) {
	w.roomy = true
	if err := w.prepare(ctx); err != nil {
		return nil, 0, err
	}
	if err := rest.TakeQuota(ctx, w.limiter, w.faults, w.writes, 1); err != nil {
		return nil, 0, err
	}
	if requests, err = w.requests(); err != nil {
		return nil, 0, err
	}
	last, err := w.markers()
	if err == nil {
		last, err = w.appendBeside(requests, last)
	}
	return append(requests, last...), len(last), err
}

// nextGeneration is due when a name that marks nothing is taken; false when even the time is no new name.
func (w *writing) nextGeneration() bool {
	old := w.generation
	if w.generation++; w.generation > 2 {
		w.generation = w.rest.Now().Unix()
	}
	return w.generation > old
}

// renamed is the requests with the markers anew: with names in the generation that is due.
func (w *writing) renamed(ctx context.Context, requests [][]byte, markers int) (anew [][]byte, last int, err error) {
	if err := rest.TakeQuota(ctx, w.limiter, w.faults, w.writes, 1); err != nil {
		return nil, 0, err
	}
	own, err := w.markers()
	if err == nil {
		own, err = w.appendBeside(requests, own)
	}
	return append(requests[:len(requests)-markers], own...), len(own), err
}

// update sends one batch of requests, which the service applies whole or not at all, and looks at what cells hold then.
func (w *writing) update(ctx context.Context, requests [][]byte, looks []lookup) error {
	body := []byte(`{"requests":[`)
	body = append(body, bytes.Join(requests, []byte{','})...)
	body = append(body, ']')
	ask := rest.Call{Method: http.MethodPost, Path: w.path(w.document) + ":batchUpdate"}
	if len(looks) > 0 {
		body = appendLooks(body, looks)
		ask.Query = url.Values{"fields": {answerFields}}
	}
	ask.Body = append(body, '}')
	answer, err := w.rest.Do(ctx, ask)
	if err != nil {
		return err
	}
	if len(looks) == 0 {
		return answer.Close()
	}
	defer answer.Close()
	page, err := decodeGooglePage(answer)
	if err == nil {
		hold(looks, page)
	}
	return err
}

// explain classifies a write's error. The service says "invalid" both of a request that never fits and of one that the
// document, as it is now, does not fit any more.
func (w *writing) explain(ctx context.Context, err error, first bool) error {
	var refused *rest.Refusal
	if !errors.As(err, &refused) || refused.Status != http.StatusBadRequest {
		w.forget()
		if err = w.fault(ctx, w.document, err); !first {
			return w.faults.Partly(w.document, err)
		}
		return err
	}
	before := w.basis()
	if err := w.look(ctx); err != nil {
		return err
	}
	if err := w.place(); err != nil {
		return err
	}
	if !first || !maps.Equal(before, w.basis()) {
		w.forget()
		return w.faults.Changed(w.document, refused)
	}
	return w.fault(ctx, w.document, refused)
}

// basis is what the write builds on: of each patch, its sheet and its marker.
func (w *writing) basis() map[int]writeBasis {
	basis := map[int]writeBasis{}
	for _, b := range w.blocks {
		sheet, _ := w.sheetOf(b.Block)
		basis[b.Index] = writeBasis{sheet, w.marker(b.Block.PlacementID)}
	}
	return basis
}

type writeBasis struct {
	sheet  sheet
	marker foundMarker
}
