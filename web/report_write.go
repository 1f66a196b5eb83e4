package web

import (
	"github.com/gin-gonic/gin"

	"mooring/storage"
)

// updateReport gives a report the fields sent; it needs edit access.
func (s *Server) updateReport(c *gin.Context) error {
	id, err := pathID(c, "reportId", "report")
	if err != nil {
		return err
	}
	body, in, err := s.decodeReport(c, false)
	if err != nil {
		return err
	}
	caller := current(c).Caller
	r, err := s.store.UpdateReport(c.Request.Context(), current(c).deployment(), id, in, caller.actor(), func(r *storage.Report) error {
		return mayChangeReport(c, r, mayEdit, body)
	})
	if err != nil {
		return absent(err, "report")
	}
	return s.answerReport(c, r)
}

// upsertReport creates the report with the path's publicId or updates the one that has it (interface.md, Create or update a
// report by publicId).
func (s *Server) upsertReport(c *gin.Context) error {
	body, in, err := s.decodeReport(c, false)
	if err != nil {
		return err
	}
	caller := current(c).Caller
	allow := func(r *storage.Report) error {
		if r == nil {
			return mayStartReport(c, body)
		}
		return mayChangeReport(c, r, mayEdit, body)
	}
	r, err := s.store.UpsertReport(c.Request.Context(), current(c).deployment(), c.Param("publicId"), in, caller.actor(), allow)
	if err != nil {
		return err
	}
	return s.answerReport(c, r)
}

// deleteReport removes a report and its placements from every index; it needs manage access.
func (s *Server) deleteReport(c *gin.Context) error {
	id, err := pathID(c, "reportId", "report")
	if err != nil {
		return err
	}
	err = s.store.DeleteReport(c.Request.Context(), current(c).deployment(), id, func(r *storage.Report) error {
		return mayChangeReport(c, r, mayManage, nil)
	})
	if err != nil {
		return absent(err, "report")
	}
	answerDeleted(c, id)
	return nil
}

// decodeReport reads a body of reportShape; creates says that it is sure to make a report.
func (s *Server) decodeReport(c *gin.Context, creates bool) (values, storage.ReportInput, error) {
	body, k, err := s.examine(c, reportShape)
	if err != nil {
		return nil, storage.ReportInput{}, err
	}
	in := reportInput(body)
	return body, in, k.along(func() error { return in.CheckPlace(creates) })
}

// mayChangeReport is the access check of writes, asked with the report as stored: the caller's level, then If-Match, then
// expectedVersion.
func mayChangeReport(c *gin.Context, r *storage.Report, want level, body values) error {
	if err := demand(current(c).Caller.level(r), want, "report"); err != nil {
		return err
	}
	if err := ifMatch(c, r.Version); err != nil {
		return err
	}
	return expectVersion(body, r.Version)
}

// mayStartReport is the access check of an upsert that would create: there is no version yet that the caller could mean. A caller who
// could not read such a report is not told that there is none.
func mayStartReport(c *gin.Context, body values) error {
	caller := current(c).Caller
	if caller.onReport(0, nil) < mayRead {
		return notFound("report")
	}
	if err := mayCreateReport(caller); err != nil {
		return err
	}
	return expectNone(c, body)
}
