package web

import (
	"encoding/json"

	"github.com/gin-gonic/gin"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/web/bind"
)

// maxReturned is how many cells one request may give back; a list has no more.
const maxReturned = 10_000

// editsInput is the body of returnEdits; without cells all are given back (decisions.md §7a).
type editsInput struct {
	mayBeMissing
	cells []string
}

func (b *editsInput) members(o *bind.Object) {
	o.List("cells", &b.cells, 0, maxReturned, bind.AnyLength)
}

// listEdits answers with the cells of a placement's block that a person edited and that the last run kept.
func (s *Server) listEdits(c *gin.Context) error {
	id, err := pathID(c, "reportId", "report")
	if err != nil {
		return err
	}
	first, err := pageSize(c)
	if err != nil {
		return err
	}
	def, err := s.store.ReportDefinition(c.Request.Context(), current(c).deployment(), id)
	if err != nil {
		return absent(err, "report")
	}
	l := current(c).Caller.onReport(def.CreatedBy, def.RolesWithAccess)
	if err := demand(l, mayRead, "report"); err != nil {
		return err
	}
	return s.answerEdits(c, id, l, c.Query("after"), first)
}

// returnEdits returns edited cells to the source: the next run takes the source's values there. It needs read access as a refresh does,
// and edit access where another user placed the report: it decides what is written into a spreadsheet.
func (s *Server) returnEdits(c *gin.Context) error {
	id, err := pathID(c, "reportId", "report")
	if err != nil {
		return err
	}
	var in editsInput
	if err := s.read(c, &in); err != nil {
		return err
	}
	caller, l := current(c).Caller, mayNothing
	err = s.store.ReturnEdits(c.Request.Context(), current(c).deployment(), id, c.Param("placementId"), in.cells,
		func(r *storage.Report, p *placements.Placement) error {
			l = caller.level(&r.Definition)
			return caller.mayReturnEdits(l, p)
		})
	if err != nil {
		return absent(err, "placement")
	}
	return s.answerEdits(c, id, l, "", defaultPage)
}

// mayReturnEdits is the access check of returnEdits; p is nil when there is no such placement.
func (c *Caller) mayReturnEdits(l level, p *placements.Placement) error {
	switch {
	case p == nil || l < mayRead:
		return notFound("placement")
	case p.PlacedFor(c.UserID) || l >= mayEdit:
		return nil
	}
	return placements.Errorf(placements.CodeForbidden,
		"Another user placed the report there: giving edits back needs edit access to the report; ask for it, or ask that user.")
}

// answerEdits answers with a page of a placement's edits for a caller with that level on its report.
func (s *Server) answerEdits(c *gin.Context, reportID int64, l level, after string, first int) error {
	r := current(c)
	page, err := s.store.Edits(c.Request.Context(), r.deployment(), reportID, c.Param("placementId"), after, first)
	if err != nil {
		return absent(err, "placement")
	}
	values := l >= mayManage || page.Placement.PlacedFor(r.Caller.UserID)
	return answerPage(c, page.Page, func(e record.Edit) ([]byte, error) { return encodeEdit(e, page.Placement, values) })
}

// shownEdit is the wire form of an edited cell (decisions.md §6).
type shownEdit struct {
	Cell     string          `json:"cell"` // such as Data!C7
	Row      int             `json:"row"`  // the sheet's row number, from 1
	Column   string          `json:"column"`
	Yours    json.RawMessage `json:"yours,omitempty"`
	Source   json.RawMessage `json:"source,omitempty"`
	SeenAt   string          `json:"seenAt"`
	Inserted bool            `json:"inserted,omitempty"`
	Returned bool            `json:"returned,omitempty"`
}

// encodeEdit returns the wire form of an edit of p; values says that the caller may see what cells hold (decisions.md §3).
func encodeEdit(e record.Edit, p placements.Placement, values bool) ([]byte, error) {
	at := e.At(p)
	out := shownEdit{
		Cell: at.String(), Row: at.Anchor.Row + 1, Column: e.Name, SeenAt: e.SeenAt, Inserted: e.Inserted, Returned: e.Returned,
	}
	if !values {
		return encode(out)
	}
	var err error
	if out.Yours, err = encode(e.Yours); err != nil {
		return nil, err
	}
	if !e.Inserted {
		out.Source, err = encode(e.Source)
	}
	if err != nil {
		return nil, err
	}
	return encode(out)
}
