package request

import (
	"bytes"
	"context"
	"errors"
	"net/http"

	"github.com/gin-gonic/gin"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/tenants"
)

const (
	maxKey  = 255     // characters of an Idempotency-Key
	maxKept = 1 << 20 // bytes of an answer that is kept; a longer one is not, and its key is free again
)

// keptHeaders are the headers of an answer that a repetition gets too. Answers are kept as they are before any compression.
var keptHeaders = []string{"Content-Type", "ETag", "Location", "Preference-Applied", "X-Mooring-Result"}

// keeper is the first request under a key; *tenants.IdempotentRequest is.
type keeper interface {
	Finish(ctx context.Context, r record.Response) error
	Abandon(ctx context.Context) error
}

// answerFirst answers and keeps the answer, or frees the key when there is none worth keeping, even after a panic.
func (f *Frame) answerFirst(c *Call, first keeper, answer func() error) error {
	w := &copying{ResponseWriter: c.gin.Writer}
	c.gin.Writer = w
	keep := false
	defer func() {
		c.gin.Writer = w.ResponseWriter
		// Also when the client is gone; the storage bounds the wait.
		if err := complete(context.WithoutCancel(c.Request.Context()), first, w, keep); err != nil {
			f.Log.Warn("idempotency key not completed", "request", c.ID, "error", err)
		}
	}()
	err := answer()
	if err == nil {
		keep = true
		return nil
	}
	if e := AsError(err); !responseTo(e.Code).retryable && e.Code != placements.CodeInternal {
		c.err = err
		writeError(c, e)
		keep = true
		return nil
	}
	return err
}

func complete(ctx context.Context, first keeper, w *copying, keep bool) error {
	if !keep || w.body.Len() > maxKept || w.Header().Get("Content-Encoding") != "" {
		return first.Abandon(ctx)
	}
	r := record.Response{Status: w.Status(), Header: map[string]string{}, Body: w.body.Bytes()}
	for _, name := range keptHeaders {
		if v := w.Header().Get(name); v != "" {
			r.Header[name] = v
		}
	}
	return first.Finish(ctx, r)
}

// replay answers with a kept answer and says so.
func replay(c *Call, r *record.Response) {
	for name, v := range r.Header {
		c.Set(name, v)
	}
	c.Set("Idempotency-Replayed", "true")
	c.gin.Data(r.Status, r.Header["Content-Type"], r.Body)
}

// copying keeps a copy of what is answered, up to a little more than maxKept.
type copying struct {
	gin.ResponseWriter
	body bytes.Buffer
}

func (w *copying) Write(p []byte) (int, error) {
	if w.body.Len() <= maxKept {
		w.body.Write(p)
	}
	return w.ResponseWriter.Write(p)
}

func (w *copying) WriteString(s string) (int, error) { return w.Write([]byte(s)) }

// Unwrap lets http.ResponseController reach the connection.
func (w *copying) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// once answers a request under its Idempotency-Key: a repetition gets the first answer (decisions.md §1). What a repetition may answer
// better, a passing fault, is not kept. A caller whose fresh request would be refused gets no kept answer either.
func (f *Frame) once(c *Call, r *Route) error {
	key := c.Header("Idempotency-Key")
	if key == "" || r.Once == nil {
		return f.perform(c, r)
	}
	if len(key) > maxKey {
		return placements.Errorf(placements.CodeInvalid, "An Idempotency-Key has at most %d characters: send a shorter one.", maxKey)
	}
	raw, err := c.Raw()
	if err != nil {
		return err
	}
	ctx := c.Request.Context()
	loaded, err := r.begin(ctx, c)
	if err != nil {
		return err
	}
	caller := c.Caller
	use := record.IdempotencyKey{Who: caller.Identity(), Request: c.Request.Method + " " + c.Request.URL.EscapedPath(), Key: key}
	first, kept, err := f.Records.BeginIdempotent(ctx, caller.Tenant, use, raw)
	switch {
	case errors.Is(err, tenants.ErrOtherBody):
		return placements.Errorf(placements.CodeKeyReused, "This Idempotency-Key was used for a request with another body: use a new key.")
	case err != nil:
		return err
	case kept != nil:
		replay(c, kept)
		return nil
	}
	caller.Via.Once = first.Once()
	return f.answerFirst(c, first, func() error {
		out, err := r.repeat(ctx, c, loaded)
		return send(c, out, err)
	})
}

// repeat answers with what an earlier request under the key has made; the first request it does.
func (r *Route) repeat(ctx context.Context, c *Call, loaded any) (any, error) {
	if answer, ok, err := r.Once(ctx, c, c.Caller.Via.Once); ok || err != nil {
		return answer, err
	}
	return r.do(ctx, c, loaded)
}
