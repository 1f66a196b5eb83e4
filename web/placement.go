package web

import (
	"encoding/json"

	"github.com/gin-gonic/gin"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/web/auth"
	"mooring/web/bind"
	"mooring/web/members"
	"mooring/web/overview"
)

// connectInput is the body of a connect (interface.md, Connect a report to the calling spreadsheet). What is required, and what texts and
// numbers may say, is placements' to judge.
type connectInput struct{ placements.Connection }

func (b *connectInput) members(o *bind.Object) {
	bind.Text(o, "externalWorkbookId", &b.ExternalWorkbookID, bind.AnyLength)
	bind.Text(o, "resultLocation", &b.ResultLocation, bind.AnyLength)
	o.Flag("addressOnly", &b.AddressOnly)
	bind.Text(o, "anchorCell", &b.AnchorCell, bind.AnyLength)
	bind.Text(o, "endResultCell", &b.EndResultCell, bind.AnyLength)
	bind.Text(o, "placementId", &b.PlacementID, bind.AnyLength)
	bind.Pointer(o, "resultChecksum", &b.ResultChecksum, members.Checksum)
	bind.Text(o, "sheetId", &b.SheetID, bind.AnyLength)
	bind.Text(o, "sheetName", &b.SheetName, bind.AnyLength)
	bind.Text(o, "workbookName", &b.WorkbookName, bind.AnyLength)
	bind.Choice(o, "host", &b.Host, members.Hosts)
	nonceMember(o, &b.Nonce)
	bind.OptionalText(o, "statusCell", &b.StatusCell, bind.AnyLength)
	bind.OptionalText(o, "fillRight", &b.FillRight, bind.AnyLength)
	members.Options(o, &b.Options)
	// What a placement has only in answers.
	o.Ignored("id", "workbookId", "queryChecksum", "placedAt", "refreshedAt", "placedByUserId", "refreshedByUserId", "runAs", "edits",
		"syncStatus", "lastRun", "managedBy", "restoredAt", "asOf", "spreadsheets")
}

// rules judges a body that has a fault already; one of the right shape is storage's to judge.
func (b *connectInput) rules(_ *Server, _ *gin.Context, f *bind.Faults) error {
	if len(*f) > 0 {
		_, err := b.Place()
		f.Join(placements.DetailsOf(err)...)
	}
	return nil
}

// connectWorkbook records where the report stands in the caller's spreadsheet.
func connectWorkbook(s *Server, c *gin.Context, id int64, in *connectInput) (reportAnswer, error) {
	shows, err := included(c, includeChecksums)
	if err != nil {
		return reportAnswer{}, err
	}
	r := current(c)
	done, err := s.store.Placements().Connect(c.Request.Context(), r.deployment(), id, in.Connection, r.Caller.Actor, expected(c), minimal(c))
	if err != nil {
		return reportAnswer{}, err
	}
	s.keepNonce(c, in.Connection)
	overlaps, err := encodeDocumentPlacements(r.Caller, done.Overlaps, shows)
	return reportAnswer{done.Report, []extraKey{{"overlaps", overlaps}}}, err
}

// targetInput is the body of a disconnect: it addresses a placement (interface.md, Disconnect a report from one spot in a spreadsheet).
type targetInput struct {
	mayBeMissing
	placements.Target
}

func (b *targetInput) members(o *bind.Object) { members.Target(o, &b.Target) }

// disconnectWorkbook removes the one placement that the body addresses. A target that addresses none is a success
// (interface.md, disconnect rule 5); a missing body addresses none.
func disconnectWorkbook(s *Server, c *gin.Context, id int64, in *targetInput) (reportAnswer, error) {
	r := current(c)
	report, removed, err := s.store.Placements().Disconnect(c.Request.Context(), r.deployment(), id, in.Target, r.Caller.Actor, expected(c), minimal(c))
	if removed == nil {
		removed = json.RawMessage("null")
	}
	return reportAnswer{report, []extraKey{{"removedPlacement", removed}}}, err
}

// rewriteInput is the body of PUT …/refresh, which says what was written too (decisions.md §6).
type rewriteInput struct {
	mayBeMissing
	placements.Rewrite
}

func (b *rewriteInput) members(o *bind.Object) {
	members.Target(o, &b.Target)
	bind.Text(o, "endResultCell", &b.EndResultCell, bind.AnyLength)
	bind.Pointer(o, "resultChecksum", &b.ResultChecksum, members.Checksum)
}

func (b *rewriteInput) rules(_ *Server, _ *gin.Context, f *bind.Faults) error {
	if len(*f) > 0 {
		f.Join(placements.DetailsOf(b.Check())...)
	}
	return nil
}

// stampRefresh records that an add-in has just rewritten the cells of a placement (decisions.md §6).
func stampRefresh(s *Server, c *gin.Context, id int64, in *rewriteInput) (reportAnswer, error) {
	r := current(c)
	report, err := s.store.Placements().RecordRefresh(c.Request.Context(), r.deployment(), id, in.Rewrite, r.Caller.Actor, expected(c))
	return reportAnswer{ReportView: report}, err
}

// expected returns the check of a report against the request's If-Match.
func expected(c *gin.Context) func(*record.ReportHead) error {
	return func(r *record.ReportHead) error { return ifMatch(c, reportEdition(r)) }
}

// minimal reports whether the request carries Prefer: return=minimal (RFC 7240): the answer then shows, of the report's placements, only
// the one that the request has written.
func minimal(c *gin.Context) bool { return applies(c, "return", "minimal") }

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
	def, err := s.store.Reports().Definition(c.Request.Context(), current(c).deployment(), id)
	if err != nil {
		return absent(err, "report")
	}
	l := current(c).Caller.OnReport(def.CreatedBy, def.RolesWithAccess)
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
	err = s.store.Placements().ReturnEdits(c.Request.Context(), current(c).deployment(), id, c.Param("placementId"), in.cells, caller.Actor,
		func(r *storage.Report, p *placements.Placement) error {
			l = levelOn(caller, &r.Definition)
			return mayReturnEdits(caller, l, p)
		})
	if err != nil {
		return absent(err, "placement")
	}
	return s.answerEdits(c, id, l, "", overview.DefaultPage)
}

// mayReturnEdits is the access check of returnEdits; p is nil when there is no such placement.
func mayReturnEdits(c *auth.Caller, l level, p *placements.Placement) error {
	switch {
	case p == nil || l < mayRead:
		return notFound("placement")
	case p.Wholly(c.ID) || l >= mayEdit:
		return nil
	}
	return placements.Errorf(placements.CodeForbidden,
		"Another user placed the report there, or had placed it when those cells were typed: giving edits back needs edit access to the report; "+
			"ask for it, or ask that user.")
}

// answerEdits answers with a page of a placement's edits for a caller with that level on its report.
func (s *Server) answerEdits(c *gin.Context, reportID int64, l level, after string, first int) error {
	r := current(c)
	page, err := s.store.Placements().Edits(c.Request.Context(), r.deployment(), reportID, c.Param("placementId"), after, first)
	if err != nil {
		return absent(err, "placement")
	}
	values := r.Caller.SeesCells(page.Placement.ValuesOf(), l)
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
