package host

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// graphCloseTimeout bounds the closing of a session whose steps failed; an open one ends by itself after some minutes.
const graphCloseTimeout = 10 * time.Second

// run applies the steps within a session that keeps what they change.
func (w *graphWriting) run(ctx context.Context, steps []graphRequest) error {
	session, err := w.open(ctx)
	if err != nil {
		return err
	}
	// Closing the session is the last step of the last batch.
	steps = append(steps, graphSend(http.MethodPost, w.workbook(w.patch.Block.Document)+"/closeSession", []byte("{}")))
	for len(steps) > 0 {
		n := fill(steps)
		if err := w.send(ctx, session, steps[:n]); err != nil {
			w.abandon(ctx, session)
			return err
		}
		steps = steps[n:]
	}
	return nil
}

// fill is how many of the steps fit into one batch.
func fill(steps []graphRequest) int {
	size := 0
	for i, s := range steps {
		size += len(s.Body) + len(s.URL)
		if i > 0 && (i == graphBatchRequests || size > graphBatchBytes) {
			return i
		}
	}
	return len(steps)
}

// open sees whether the document is still the one that was read, and opens a session on it.
func (w *graphWriting) open(ctx context.Context) (session string, err error) {
	document := w.patch.Block.Document
	replies, err := w.batch(ctx, []graphRequest{
		graphGet(w.item(document) + "?$select=cTag"),
		graphSend(http.MethodPost, w.workbook(document)+"/createSession", []byte(`{"persistChanges":true}`)),
	})
	if err != nil {
		return "", err
	}
	var item graphItem
	var opened struct {
		ID string `json:"id"`
	}
	if err := w.decode(replies[0], &item); err != nil {
		return "", err
	}
	if err := w.decode(replies[1], &opened); err != nil {
		return "", err
	}
	if item.CTag != w.revision.CTag {
		w.abandon(ctx, opened.ID)
		return "", w.faults.changed(document, nil)
	}
	return opened.ID, nil
}

func (w *graphWriting) send(ctx context.Context, session string, steps []graphRequest) error {
	for i := range steps {
		if steps[i].Headers == nil {
			steps[i].Headers = map[string]string{}
		}
		steps[i].Headers["workbook-session-id"] = session
	}
	w.written.Calls++
	replies, err := w.batch(ctx, steps)
	if err != nil {
		return err
	}
	err = w.firstRefused(replies)
	var refused *refusal
	if errors.As(err, &refused) && refused.Status == http.StatusNotFound && !refused.says("invalidSession") {
		// The document was there when the session opened: a sheet or the marker went.
		return w.faults.changed(w.patch.Block.Document, err)
	}
	return err
}

// abandon closes a session after a failure, which is what counts then.
func (w *graphWriting) abandon(ctx context.Context, session string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), graphCloseTimeout)
	defer cancel()
	body, err := w.rest.do(ctx, call{
		Method: http.MethodPost, Path: w.workbook(w.patch.Block.Document) + "/closeSession",
		Header: http.Header{"Workbook-Session-Id": {session}}, Body: []byte("{}"),
	})
	if err == nil {
		body.Close()
	}
}
