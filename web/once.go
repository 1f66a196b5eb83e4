package web

import (
	"bytes"
	"errors"
	"io"
	"net/http"

	"github.com/gin-gonic/gin"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/tenants"
	"mooring/web/overview"
)

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
	first, kept, err := s.store.Tenants().BeginIdempotent(c.Request.Context(), caller.Tenant, use, raw)
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
	run, err := s.store.Queue().Runs.Get(c.Request.Context(), current(c).deployment(), once.Run)
	if err != nil {
		return absent(err, "run")
	}
	return starting(s, c, run)
}
