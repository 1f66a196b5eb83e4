package web

import (
	"errors"
	"fmt"

	"github.com/gin-gonic/gin"

	"mooring/storage"
)

// updateReport gives a report the fields sent; it needs edit access.
func (s *Server) updateReport(c *gin.Context) error {
	id, err := pathID(c, "reportId", "report")
	if err != nil {
		return err
	}
	body, in, err := s.decodeReport(c, "", false)
	if err != nil {
		return err
	}
	caller := current(c).Caller
	r, err := s.store.UpdateReport(c.Request.Context(), current(c).deployment(), id, in, caller.actor(), func(r *storage.Report) error {
		return mayRedefine(c, r, body)
	})
	if err != nil {
		return absent(err, "report")
	}
	return s.answerReport(c, r)
}

// upsertReport creates the report with the path's publicId or updates the one that has it (interface.md, Create or update a
// report by publicId).
func (s *Server) upsertReport(c *gin.Context) error {
	publicID := c.Param("publicId")
	body, in, err := s.decodeReport(c, publicID, false)
	if err != nil {
		return err
	}
	caller := current(c).Caller
	allow := func(r *storage.Report) error {
		if r == nil {
			return mayStartReport(c, body)
		}
		return mayRedefine(c, r, body)
	}
	r, err := s.store.UpsertReport(c.Request.Context(), current(c).deployment(), publicID, in, caller.actor(), allow)
	if err != nil {
		return err
	}
	return s.answerReport(c, r)
}

// reportBody is a decoded body of reportShape.
type reportBody struct {
	values
	noWorkbook bool // workbookId names none that the caller may read
}

// decodeReport reads a body of reportShape; inPath is the publicId of the path, if it has one, and creates says that a report is sure to
// be made.
func (s *Server) decodeReport(c *gin.Context, inPath string, creates bool) (reportBody, storage.ReportInput, error) {
	var in storage.ReportInput
	sent, k, err := s.examine(c, reportShape)
	if err != nil {
		return reportBody{}, in, err
	}
	body := reportBody{values: sent}
	if body.noWorkbook, err = s.lacksWorkbook(c, sent); err != nil {
		return body, in, err
	}
	in = reportInput(sent)
	wrongPath := k.samePublicID(inPath, sent)
	// Without another fault storage judges the address, and whether the workbook is a fault depends on the report as stored.
	if len(k.details)+len(wrongPath) > 0 || body.noWorkbook {
		k.placed(storage.CheckPlace(&in.SpreadsheetKeys, creates))
	}
	if len(k.details)+len(wrongPath) > 0 {
		k.join(body.workbookFaults())
	}
	k.details = append(k.details, wrongPath...)
	return body, in, k.err()
}

// samePublicID checks that a body with a publicId has that of the path, if there is one there, and returns what is wrong with the path.
func (k *check) samePublicID(inPath string, body values) []detail {
	if inPath == "" {
		return nil
	}
	if sent := body.text("publicId"); sent.Sent && sent.OrZero() != inPath {
		message := fmt.Sprintf("The path says %.80s: send the same publicId, or none.", inPath)
		k.join([]detail{{Pointer: "/publicId", Code: codePublicIDFixed, Message: message}})
	}
	if code, message := storage.PublicIDFault(inPath); message != "" {
		return []detail{{Code: Code(code), Message: "In the path: " + message}}
	}
	return nil
}

// lacksWorkbook reports whether a body names a workbook that does not exist, or that the caller may not read.
func (s *Server) lacksWorkbook(c *gin.Context, body values) (bool, error) {
	id := body.integer("workbookId").OrZero()
	if id < 1 {
		return false, nil
	}
	wb, err := s.store.Workbook(c.Request.Context(), current(c).deployment(), id)
	if errors.Is(err, storage.ErrNotFound) {
		return true, nil
	}
	return err == nil && current(c).Caller.onWorkbook(wb.CreatedBy) < mayRead, err
}

func (b reportBody) workbookFaults() []detail {
	if !b.noWorkbook {
		return nil
	}
	const message = "names no workbook here that this token may read: create it first, name another one, or send null"
	return []detail{{Pointer: "/workbookId", Code: codeNoWorkbook, Message: message}}
}

// inWorkbook refuses a workbook that the caller may not read, but for one that the report is in already: what was read may be sent back.
func (b reportBody) inWorkbook(stored *int64) error {
	if !b.noWorkbook || stored != nil && *stored == b.integer("workbookId").OrZero() {
		return nil
	}
	return faulty(b.workbookFaults())
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

// mayRedefine is the access check of an update with that body.
func mayRedefine(c *gin.Context, r *storage.Report, body reportBody) error {
	if err := mayChangeReport(c, r, mayEdit, body.values); err != nil {
		return err
	}
	return body.inWorkbook(r.WorkbookID)
}

// mayStartReport is the access check of an upsert that would create: there is no version yet that the caller could mean. A caller who
// could not read such a report is not told that there is none.
func mayStartReport(c *gin.Context, body reportBody) error {
	caller := current(c).Caller
	if caller.onReport(0, nil) < mayRead {
		return notFound("report")
	}
	if err := mayCreateReport(caller); err != nil {
		return err
	}
	if err := expectNone(c, body.values); err != nil {
		return err
	}
	return body.inWorkbook(nil)
}
