package web

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/gin-gonic/gin"

	"mooring/placements"
	"mooring/storage/record"
)

// jsonType is the Content-Type of answers that are ready-made bytes.
const jsonType = "application/json; charset=utf-8"

// answerJSON answers with ready-made JSON.
func answerJSON(c *gin.Context, body []byte) {
	c.Header("Content-Length", strconv.Itoa(len(body))) // else a long answer goes out in chunks
	c.Data(http.StatusOK, jsonType, body)
}

// sayEffect tells what a write did (decisions.md §1); a read does nothing worth telling.
func sayEffect(c *gin.Context, did record.WriteEffect) {
	if !reads(c) {
		c.Header("X-Mooring-Result", did.String())
	}
}

// reads reports whether the request is one of the methods that change nothing.
func reads(c *gin.Context) bool {
	return c.Request.Method == http.MethodGet || c.Request.Method == http.MethodHead
}

// answerDeleted answers to a deletion with the id of what is gone.
func answerDeleted(c *gin.Context, id int64) {
	c.JSON(http.StatusOK, gin.H{"id": id})
}

// encode returns the JSON of v with nothing escaped for HTML, which no client of a JSON interface needs.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

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

// answerFirst runs the handler and keeps its answer, or frees the key when there is none worth keeping, even after a panic.
func (s *Server) answerFirst(c *gin.Context, first keeper, handler func(*gin.Context) error) error {
	w := &copying{ResponseWriter: c.Writer}
	c.Writer = w
	keep := false
	defer func() {
		c.Writer = w.ResponseWriter
		// Also when the client is gone; the storage bounds the wait.
		if err := complete(context.WithoutCancel(c.Request.Context()), first, w, keep); err != nil {
			s.log.Warn("idempotency key not completed", "request", current(c).ID, "error", err)
		}
	}()
	err := handler(c)
	if err == nil {
		keep = true
		return nil
	}
	if e := asError(err); !responseTo(e.Code).retryable && e.Code != placements.CodeInternal {
		current(c).err = err
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
func replay(c *gin.Context, r *record.Response) {
	for name, v := range r.Header {
		c.Header(name, v)
	}
	c.Header("Idempotency-Replayed", "true")
	c.Data(r.Status, r.Header["Content-Type"], r.Body)
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

// appendMembers appends the members of a JSON object to one that has some already.
func appendMembers(body []byte, object string) []byte {
	if members := object[1 : len(object)-1]; members != "" {
		body = append(append(body, ','), members...)
	}
	return body
}

// answerTagged answers with ready-made JSON under its ETag, or with 304 when the client has it already.
func answerTagged(c *gin.Context, e edition, body []byte) error {
	tag := e.tag(body)
	c.Header("ETag", tag)
	if reads(c) && clientHas(c, tag) {
		c.Status(http.StatusNotModified)
		return nil
	}
	answerJSON(c, body)
	return nil
}

// answerScheduleRun answers with a run of a schedule.
func answerScheduleRun(c *gin.Context, run *record.Run) error {
	c.JSON(http.StatusAccepted, gin.H{"runId": run.ID, "reportId": run.ReportID})
	return nil
}
