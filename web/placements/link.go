package placements

import (
	"context"
	"slices"

	"mooring/placements"
	"mooring/refresh"
	"mooring/storage/record"
	"mooring/web/bind"
	"mooring/web/request"
)

// linkBody is what an add-in says of the spreadsheet that it has open.
type linkBody struct {
	name, nonce, url string
	again            bool
}

// How long what an add-in says may be.
const (
	maxFileName = 255
	maxAddress  = 4096
)

// Members implements request.Body.
func (b *linkBody) Members(o *bind.Object) {
	o.Required("name")
	bind.Text(o, "name", &b.name, maxFileName)
	nonceMember(o, &b.nonce)
	bind.Text(o, "url", &b.url, maxAddress)
	o.Flag("again", &b.again)
}

// Check wants the nonce of a spreadsheet that has one.
func (b *linkBody) Check(c *request.Call, f *bind.Faults) {
	if b.nonce == "" && placements.AddinID(c.Param("externalWorkbookId")) {
		f.Join(placements.Detail{
			Pointer: "/nonce", Code: placements.CodeInvalid,
			Message: "is required for a spreadsheet whose id is a UUID: send what stands beside the id in the file",
		})
	}
}

// getLink answers with what is known of where a spreadsheet is.
func (a *API) getLink(ctx context.Context, c *request.Call, on *levels) (any, error) {
	view, err := a.Engine.DocumentLink(ctx, c.Caller.Tenant, document(c))
	return on.shown(view), err
}

// link has the file looked for that an add-in has open.
func (a *API) link(ctx context.Context, c *request.Call, on *levels) (any, error) {
	var in linkBody
	if err := c.Read(&in); err != nil {
		return nil, err
	}
	view, err := a.Engine.AskLink(ctx, c.Caller.Tenant, document(c), refresh.LinkAsk{
		By: c.Caller.Actor, MayEdit: on.least >= record.MayEdit, MayLink: on.mayLink(), Nonce: in.nonce, Name: in.name, URL: in.url, Again: in.again,
	})
	return request.Accepted{Value: on.shown(view)}, err
}

// unlink has agents leave out a spreadsheet until it is asked for again.
func (a *API) unlink(ctx context.Context, c *request.Call, on *levels) (any, error) {
	if on.least < record.MayEdit {
		return nil, placements.Errorf(placements.CodeForbidden,
			"Unlinking the spreadsheet needs edit access to every report that is placed there: ask for that, or ask who has it.")
	}
	view, err := a.Engine.Unlink(ctx, c.Caller.Tenant, document(c), c.Caller.Actor)
	return on.shown(view), err
}

// shown is what is known of where a spreadsheet is, as the caller may know it.
func (l *levels) shown(view refresh.LinkView) refresh.LinkView {
	view.Merged = slices.DeleteFunc(slices.Clone(view.Merged), func(m record.MergedPlacement) bool {
		return !l.readable[reportName{m.DeploymentID, m.ReportID}]
	})
	return view
}
