package web

import (
	"errors"

	"github.com/gin-gonic/gin"

	"mooring/storage"
)

// createWorkbook makes a workbook; it needs WorkbookEdit in the token's own actions (decisions.md §3).
func (s *Server) createWorkbook(c *gin.Context) error {
	if err := mayCreateWorkbook(current(c).Caller); err != nil {
		return err
	}
	_, in, err := s.decodeWorkbook(c, "")
	if err != nil {
		return err
	}
	wb, err := s.store.CreateWorkbook(c.Request.Context(), current(c).deployment(), in, current(c).Caller.user())
	if err != nil {
		return err
	}
	return answerWorkbook(c, wb)
}

// getWorkbook answers with a workbook and both its dashboards.
func (s *Server) getWorkbook(c *gin.Context) error {
	id, err := pathID(c, "workbookId", "workbook")
	if err != nil {
		return err
	}
	wb, err := s.store.Workbook(c.Request.Context(), current(c).deployment(), id)
	return answerReadable(c, wb, err)
}

// getWorkbookBySlug answers with the workbook that has the path's slug.
func (s *Server) getWorkbookBySlug(c *gin.Context) error {
	slug, wrong := storage.NormalSlug(c.Param("slug"))
	if wrong != "" {
		return notFound("workbook")
	}
	wb, err := s.store.WorkbookBySlug(c.Request.Context(), current(c).deployment(), slug)
	return answerReadable(c, wb, err)
}

// answerReadable answers with a workbook as it was read, if the caller may read it.
func answerReadable(c *gin.Context, wb *storage.Workbook, err error) error {
	if errors.Is(err, storage.ErrNotFound) {
		return notFound("workbook")
	}
	if err != nil {
		return absent(err, "workbook")
	}
	if err := demand(current(c).Caller.onWorkbook(wb.CreatedBy), mayRead, "workbook"); err != nil {
		return err
	}
	return answerWorkbook(c, wb)
}

// updateWorkbook gives a workbook the fields sent and replaces its meta; it needs edit access.
func (s *Server) updateWorkbook(c *gin.Context) error {
	id, err := pathID(c, "workbookId", "workbook")
	if err != nil {
		return err
	}
	body, in, err := s.decodeWorkbook(c, "")
	if err != nil {
		return err
	}
	wb, err := s.store.UpdateWorkbook(c.Request.Context(), current(c).deployment(), id, in, current(c).Caller.user(), mayChangeWorkbook(c, mayEdit, body))
	if err != nil {
		return absent(err, "workbook")
	}
	return answerWorkbook(c, wb)
}

// upsertWorkbook creates the workbook with the path's slug or updates the one that has it, merging meta (interface.md, Create or
// update a workbook by slug).
func (s *Server) upsertWorkbook(c *gin.Context) error {
	slug, _ := storage.NormalSlug(c.Param("slug"))
	body, in, err := s.decodeWorkbook(c, c.Param("slug"))
	if err != nil {
		return err
	}
	allow := func(wb *storage.Workbook) error {
		if wb == nil {
			return mayStartWorkbook(c, body)
		}
		return mayChangeWorkbook(c, mayEdit, body)(wb)
	}
	wb, err := s.store.UpsertWorkbook(c.Request.Context(), current(c).deployment(), slug, in, current(c).Caller.user(), allow)
	if err != nil {
		return err
	}
	return answerWorkbook(c, wb)
}

// deleteWorkbook removes a workbook with its dashboards; it needs manage access.
func (s *Server) deleteWorkbook(c *gin.Context) error {
	id, err := pathID(c, "workbookId", "workbook")
	if err != nil {
		return err
	}
	if err := s.store.DeleteWorkbook(c.Request.Context(), current(c).deployment(), id, mayChangeWorkbook(c, mayManage, nil)); err != nil {
		return absent(err, "workbook")
	}
	answerDeleted(c, id)
	return nil
}

// mayChangeWorkbook is the access check of writes, asked with the workbook as stored.
func mayChangeWorkbook(c *gin.Context, want level, body values) func(*storage.Workbook) error {
	return func(wb *storage.Workbook) error {
		if err := demand(current(c).Caller.onWorkbook(wb.CreatedBy), want, "workbook"); err != nil {
			return err
		}
		if err := ifMatch(c, wb.Version); err != nil {
			return err
		}
		return expectVersion(body, wb.Version)
	}
}

func mayCreateWorkbook(c *Caller) error {
	if !c.actor().MayCreateWorkbook() {
		return refuse(codeForbidden, "Creating a workbook needs the action WorkbookEdit in the token itself: ask for a token with it.")
	}
	return nil
}

// mayStartWorkbook is the access check of an upsert that would create; see mayStartReport.
func mayStartWorkbook(c *gin.Context, body values) error {
	caller := current(c).Caller
	if caller.onWorkbook(0) < mayRead {
		return notFound("workbook")
	}
	if err := mayCreateWorkbook(caller); err != nil {
		return err
	}
	return expectNone(c, body)
}

// answerWorkbook answers with a workbook and its ETag.
func answerWorkbook(c *gin.Context, wb *storage.Workbook) error {
	body, err := encode(wb)
	if err != nil {
		return err
	}
	sayEffect(c, wb.Effect)
	return answerTagged(c, wb.Version, body)
}
