package host

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// graphCloseTimeout bounds the closing of a session whose steps failed; an open one ends by itself after some minutes.
const graphCloseTimeout = 10 * time.Second

// run applies the steps within a session of the service that keeps what they change.
func (w *graphWriting) run(ctx context.Context, steps []graphRequest) error {
	session, err := w.open(ctx)
	if err != nil {
		return err
	}
	// The last steps of the last batch close the session and see what it left.
	steps = append(steps, graphSend(http.MethodPost, w.workbook(w.document)+"/closeSession", []byte("{}")), w.tagRequest())
	for done := 0; done < len(steps); {
		n := fill(steps[done:])
		replies, err := w.send(ctx, session, steps[done:done+n])
		if err == nil && done+n == len(steps) {
			w.left(replies[n-1])
			replies = replies[:n-1]
		}
		if err == nil {
			err = w.firstRefused(replies)
		}
		if err != nil {
			w.abandon(ctx, session)
			return w.explain(ctx, err, done+succeeded(replies))
		}
		done += n
	}
	return nil
}

// graphUnknownTag is no document's tag.
const graphUnknownTag = "unknown"

// left takes note of the state that the write left. When the service does not say, any later state counts as changed by others.
func (w *graphWriting) left(reply graphReply) {
	w.cTag = ""
	if w.sameTag(reply) != nil {
		w.cTag = graphUnknownTag
	}
}

// succeeded is how many requests of a chain were carried out.
func succeeded(replies []graphReply) int {
	for i, r := range replies {
		if r.Status/100 != 2 {
			return i
		}
	}
	return len(replies)
}

// explain classifies a step's error. A refusal after other steps were carried out leaves them written: that is no refusal of the whole.
func (w *graphWriting) explain(ctx context.Context, err error, done int) error {
	if isStatus(err, http.StatusNotFound) && !isGoneSession(err) {
		// The document was there when the session opened: a sheet or a marker went.
		return w.faults.changed(w.document, err)
	}
	err = w.fault(ctx, w.document, err)
	if done > 0 {
		return w.faults.partly(w.document, err)
	}
	return err
}

// isGoneSession reports whether a refusal speaks of the service's session, not of what a request names.
func isGoneSession(err error) bool {
	var refused *refusal
	return errors.As(err, &refused) && refused.says("invalidSession")
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

// open sees whether the document is still the one that was read, and opens a session of the service on it.
func (w *graphWriting) open(ctx context.Context) (session string, err error) {
	replies, err := w.batch(ctx, []graphRequest{
		w.tagRequest(),
		graphSend(http.MethodPost, w.workbook(w.document)+"/createSession", []byte(`{"persistChanges":true}`)),
	})
	if err != nil {
		return "", err
	}
	var opened struct {
		ID string `json:"id"`
	}
	openErr := w.decode(replies[1], &opened)
	if err := w.sameTag(replies[0]); err != nil {
		if openErr == nil {
			w.abandon(ctx, opened.ID)
		}
		return "", err
	}
	return opened.ID, openErr
}

func (w *graphWriting) send(ctx context.Context, session string, steps []graphRequest) ([]graphReply, error) {
	for i := range steps {
		if steps[i].Headers == nil {
			steps[i].Headers = map[string]string{}
		}
		steps[i].Headers["workbook-session-id"] = session
	}
	w.calls++
	return w.batch(ctx, steps)
}

// abandon closes a session after a failure, which is what counts then.
func (w *graphWriting) abandon(ctx context.Context, session string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), graphCloseTimeout)
	defer cancel()
	body, err := w.rest.do(ctx, call{
		Method: http.MethodPost, Path: w.workbook(w.document) + "/closeSession",
		Header: http.Header{"Workbook-Session-Id": {session}}, Body: []byte("{}"),
	})
	if err == nil {
		body.Close()
	}
}
