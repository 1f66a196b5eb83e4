package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"

	"github.com/gin-gonic/gin"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/tenants"
	"mooring/web/overview"
)

// jsonType is the Content-Type of answers that are ready-made bytes.
const jsonType = "application/json; charset=utf-8"

// answerJSON answers with ready-made JSON.
func answerJSON(c *gin.Context, body []byte) {
	c.Header("Content-Length", strconv.Itoa(len(body))) // else a long answer goes out in chunks
	c.Data(http.StatusOK, jsonType, body)
}

// sayEffect tells what a write did (decisions.md §1); a read does nothing worth telling.
func sayEffect(c *gin.Context, did record.Effect) {
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

// accessRules are the POST routes that take an Idempotency-Key, each with the access rule of its handler: a caller whose fresh request
// would be refused gets no kept answer either. Other routes ignore the header.
var accessRules = map[string]handler{
	atDeployment + "/reports":                func(_ *Server, c *gin.Context) error { return mayCreateReport(current(c).Caller) },
	atDeployment + "/workbooks":              func(_ *Server, c *gin.Context) error { return mayCreateWorkbook(current(c).Caller) },
	atDeployment + "/refresh-schedules":      func(s *Server, c *gin.Context) error { _, err := s.newSchedule(c); return err },
	atDeployment + "/bulk/refreshes":         mayBulk,
	atDeployment + "/bulk/refresh-schedules": mayBulk,
	atWorkbook + "/publish":                  func(s *Server, c *gin.Context) error { _, err := s.workbook(c, mayEdit); return err },
	atReport + "/refreshes":                  func(s *Server, c *gin.Context) error { _, _, err := s.mayStart(c); return err },
	atSchedule + "/pause":                    func(s *Server, c *gin.Context) error { _, err := s.schedule(c, mayEdit); return err },
	atSchedule + "/resume":                   func(s *Server, c *gin.Context) error { _, err := s.aimed(c, mayEdit); return err },
	atSchedule + "/run":                      func(s *Server, c *gin.Context) error { _, err := s.aimed(c, mayRead); return err },
	atDocument + "/refreshes":                func(s *Server, c *gin.Context) error { _, err := s.reportsIn(c); return err },
}

// makings are the routes whose creation is noted with its Idempotency-Key, each with how it answers with what was made before.
var makings = map[string]func(s *Server, c *gin.Context, id int64) error{
	atDeployment + "/reports":           answerMadeReport,
	atDeployment + "/workbooks":         answerMadeWorkbook,
	atDeployment + "/refresh-schedules": answerMadeSchedule,
}

// startings are the routes that make one run, each with how it answers with the run that an earlier request under the key has made. Other routes
// that make runs make those that are missing.
var startings = map[string]func(s *Server, c *gin.Context, run *record.Run) error{
	atReport + "/refreshes": answerMadeRun,
	atSchedule + "/run":     func(_ *Server, c *gin.Context, run *record.Run) error { return answerScheduleRun(c, run) },
}

func mayBulk(_ *Server, c *gin.Context) error { return overview.MayBulk(current(c).Caller) }

// once answers a request under its Idempotency-Key: a repetition gets the first answer (decisions.md §1). What a repetition may answer
// better, a passing fault, is not kept. Where the answer to a creation was lost, or that to a request for runs, a repetition is answered with what was
// made, as it is now.
func (s *Server) once(c *gin.Context, r route) error {
	handler := func(c *gin.Context) error { return r.handler(s, c) }
	key, allow := c.GetHeader("Idempotency-Key"), accessRules[r.path]
	if key == "" || allow == nil || r.method != http.MethodPost {
		return handler(c)
	}
	if len(key) > maxKey {
		return placements.Errorf(placements.CodeInvalid, "An Idempotency-Key has at most %d characters: send a shorter one.", maxKey)
	}
	raw, err := s.readBody(c)
	if err != nil {
		return err
	}
	c.Request.Body = io.NopCloser(bytes.NewReader(raw))
	if err := allow(s, c); err != nil {
		return err
	}
	c.Request.Body = io.NopCloser(bytes.NewReader(raw))
	caller := current(c).Caller
	use := record.IdempotencyKey{Who: caller.Identity(), Request: c.Request.Method + " " + c.Request.URL.EscapedPath(), Key: key}
	first, kept, err := s.store.BeginIdempotent(c.Request.Context(), caller.Tenant, use, raw)
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
	return s.answerFirst(c, first, func(c *gin.Context) error { return s.onceMade(c, r, caller.Via.Once) })
}

// onceMade answers with what an earlier request under the key has made; the first request it has the route answer.
func (s *Server) onceMade(c *gin.Context, r route, once record.Once) error {
	starting := startings[r.path]
	switch {
	case once.Made != 0:
		return makings[r.path](s, c, once.Made)
	case once.Run == "" || starting == nil:
		return r.handler(s, c)
	}
	run, err := s.store.Queue().Run(c.Request.Context(), current(c).deployment(), once.Run)
	if err != nil {
		return absent(err, "run")
	}
	return starting(s, c, run)
}

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
