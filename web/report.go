package web

import (
	"cmp"
	"errors"

	"github.com/gin-gonic/gin"

	"mooring/storage"
)

// createReport makes a report; it needs ReportEdit in the token's own actions (decisions.md §3).
func (s *Server) createReport(c *gin.Context) error {
	r := current(c)
	if err := mayCreateReport(r.Caller); err != nil {
		return err
	}
	body, in, err := s.decodeReport(c, "", true)
	if err != nil {
		return err
	}
	if err := body.inWorkbook(nil); err != nil {
		return err
	}
	made, err := s.store.CreateReport(c.Request.Context(), r.deployment(), in, r.Caller.actor())
	if err != nil {
		return err
	}
	return s.answerReport(c, made)
}

// getReport answers with a report and its placements.
func (s *Server) getReport(c *gin.Context) error {
	id, err := pathID(c, "reportId", "report")
	if err != nil {
		return err
	}
	r, err := s.store.Report(c.Request.Context(), current(c).deployment(), id)
	if err != nil {
		return absent(err, "report")
	}
	if err := current(c).Caller.mayReadReport(r); err != nil {
		return err
	}
	return s.answerReport(c, r)
}

// getReportByPublicID answers with the report that has the path's publicId, stored or synthesized.
func (s *Server) getReportByPublicID(c *gin.Context) error {
	publicID := c.Param("publicId")
	r, err := s.store.ReportByPublicID(c.Request.Context(), current(c).deployment(), publicID)
	if _, several := errors.AsType[*storage.Conflict](err); several {
		return s.toldApart(c, publicID, err)
	}
	if err != nil {
		return absent(err, "report")
	}
	if err := current(c).Caller.mayReadReport(r); err != nil {
		return err
	}
	return s.answerReport(c, r)
}

// toldApart is the conflict about several reports that show an id, for a caller who may read one of them; for others there is none.
func (s *Server) toldApart(c *gin.Context, publicID string, conflict error) error {
	caller := current(c).Caller
	visible := func(r *storage.Report) bool { return caller.level(r) >= mayRead }
	for _, err := range s.store.Reports(c.Request.Context(), current(c).deployment(), storage.ListQuery{PublicID: publicID}, visible) {
		return cmp.Or(err, conflict)
	}
	return notFound("report")
}

// answerReport answers with the wire form of r, with extra keys at its end, and its ETag.
func (s *Server) answerReport(c *gin.Context, r *storage.Report, extra ...extraKey) error {
	room, _ := s.rooms.Get().(*[]byte)
	if room == nil {
		room = new([]byte)
	}
	body, err := appendReport((*room)[:0], r, current(c).Caller.level(r), extra...)
	if err != nil {
		return err
	}
	sayEffect(c, r.Effect)
	err = answerTagged(c, r.Version, body)
	if *room = body; cap(body) <= maxRoom {
		s.rooms.Put(room)
	}
	return err
}

// maxRoom is the largest buffer of an answer that is kept for the next one.
const maxRoom = 64 << 10

// level is the caller's level on r.
func (c *Caller) level(r *storage.Report) level { return c.onReport(r.CreatedBy, r.RolesWithAccess) }

// mayReadReport is the access check of operations that need only read access, asked with the report as stored.
func (c *Caller) mayReadReport(r *storage.Report) error { return demand(c.level(r), mayRead, "report") }

func mayCreateReport(c *Caller) error {
	if !c.actor().MayCreateReport() {
		return refuse(codeForbidden, "Creating a report needs the action ReportEdit in the token itself: ask for a token with it.")
	}
	return nil
}

// user is the caller as records name him.
func (c *Caller) user() storage.User {
	return c.actor().User()
}
