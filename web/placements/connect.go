package placements

import (
	"context"
	"encoding/json"

	"mooring/placements"
	"mooring/refresh"
	"mooring/storage/record"
	"mooring/web/access"
	"mooring/web/bind"
	"mooring/web/members"
	"mooring/web/request"
	"mooring/web/wire"
)

// connectBody is the body of a connect (interface.md, Connect a report to the calling spreadsheet). What is required, and what texts and
// numbers may say, is placements' to judge.
type connectBody struct{ placements.Connection }

// Members implements request.Body.
func (b *connectBody) Members(o *bind.Object) {
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
	members.Settings(o, &b.Connection.Parameters)
	members.Options(o, &b.Options)
	// What a placement has only in answers.
	o.Ignored("id", "workbookId", "queryChecksum", "placedAt", "refreshedAt", "placedByUserId", "refreshedByUserId", "runAs", "edits",
		"syncStatus", "valuesChanged", "parameterNumbers", "lastRun", "managedBy", "restoredAt", "asOf", "spreadsheets")
}

// Check judges a body that has a fault already; one of the right shape is storage's to judge.
func (b *connectBody) Check(_ *request.Call, f *bind.Faults) {
	if len(*f) > 0 {
		_, err := b.Place()
		f.Join(placements.DetailsOf(err)...)
	}
}

// connect records where the report stands in the caller's spreadsheet.
func (a *API) connect(ctx context.Context, c *request.Call) (any, error) {
	var in connectBody
	id, err := read(c, &in)
	if err != nil {
		return nil, err
	}
	shows, err := c.Included(request.IncludeChecksums)
	if err != nil {
		return nil, err
	}
	done, err := a.Store.Placements().Connect(ctx, c.At, id, in.Connection, c.Caller.Actor, expected(c), minimal(c))
	if err != nil {
		return nil, request.Absent(err, "report")
	}
	a.keepNonce(ctx, c, in.Connection)
	overlaps, err := encodeAll(c.Caller, done.Overlaps, shows)
	return wire.ReportAnswer{ReportView: done.Report, Extra: []wire.Extra{{Name: "overlaps", JSON: overlaps}}}, err
}

// read reads the id of the path's report, and the body.
func read(c *request.Call, in request.Body) (report int64, err error) {
	if report, err = c.PathID("reportId", "report"); err != nil {
		return 0, err
	}
	return report, c.Read(in)
}

// targetBody is the body of a disconnect: it addresses a placement (interface.md, Disconnect a report from one spot in a spreadsheet).
type targetBody struct {
	request.MayBeMissing
	placements.Target
}

// Members implements request.Body.
func (b *targetBody) Members(o *bind.Object) { members.Target(o, &b.Target) }

// disconnect removes the one placement that the body addresses. A target that addresses none is a success
// (interface.md, disconnect rule 5); a missing body addresses none.
func (a *API) disconnect(ctx context.Context, c *request.Call) (any, error) {
	var in targetBody
	id, err := read(c, &in)
	if err != nil {
		return nil, err
	}
	report, removed, err := a.Store.Placements().Disconnect(ctx, c.At, id, in.Target, c.Caller.Actor, expected(c), minimal(c))
	if err != nil {
		return nil, request.Absent(err, "report")
	}
	if removed == nil {
		removed = json.RawMessage("null")
	}
	return wire.ReportAnswer{ReportView: report, Extra: []wire.Extra{{Name: "removedPlacement", JSON: removed}}}, nil
}

// rewriteBody is the body of PUT …/refresh, which says what was written too (decisions.md §6).
type rewriteBody struct {
	request.MayBeMissing
	placements.Rewrite
}

// Members implements request.Body.
func (b *rewriteBody) Members(o *bind.Object) {
	members.Target(o, &b.Target)
	bind.Text(o, "endResultCell", &b.EndResultCell, bind.AnyLength)
	bind.Pointer(o, "resultChecksum", &b.ResultChecksum, members.Checksum)
}

// Check judges a body that has a fault already; one of the right shape is storage's to judge.
func (b *rewriteBody) Check(_ *request.Call, f *bind.Faults) {
	if len(*f) > 0 {
		f.Join(placements.DetailsOf(b.Rewrite.Check())...)
	}
}

// stamp records that an add-in has just rewritten the cells of a placement (decisions.md §6).
func (a *API) stamp(ctx context.Context, c *request.Call) (any, error) {
	var in rewriteBody
	id, err := read(c, &in)
	if err != nil {
		return nil, err
	}
	report, err := a.Store.Placements().RecordRefresh(ctx, c.At, id, in.Rewrite, c.Caller.Actor, expected(c))
	if err != nil {
		return nil, request.Absent(err, "report")
	}
	return wire.ReportAnswer{ReportView: report}, nil
}

// expected returns the check of a report against the request's If-Match.
func expected(c *request.Call) func(*record.ReportHead) error {
	return func(r *record.ReportHead) error { return c.Match(access.ReportEdition(r)) }
}

// minimal reports whether the request carries Prefer: return=minimal (RFC 7240): the answer then shows, of the report's placements, only
// the one that the request has written.
func minimal(c *request.Call) bool { return c.Applies("return", "minimal") }

// keepNonce keeps the nonce with which a connect names its spreadsheet, if none is known yet, of a user who may link it. The placement stands by
// then, so that a failure is logged only: the next connect or link brings the nonce again.
func (a *API) keepNonce(ctx context.Context, c *request.Call, of placements.Connection) {
	if of.Nonce == "" || !placements.AddinID(of.ExternalWorkbookID) {
		return
	}
	document := of.ExternalWorkbookID
	known, err := a.Store.Links().Of(ctx, c.Caller.Tenant, placements.LinkID(document))
	if err == nil && (known == nil || known.Nonce == "") {
		var on *levels
		if on, err = a.levelsIn(ctx, c.Caller, document); err == nil && on.mayLink() {
			err = a.Store.Links().KeepNonce(ctx, c.Caller.Tenant, document, refresh.NonceHash(of.Nonce))
		}
	}
	if err != nil {
		a.Log.Warn("nonce of a document not kept", "request", c.ID, "document", document, "error", err)
	}
}
