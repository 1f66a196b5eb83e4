package placements

import (
	"context"
	"regexp"

	"mooring/placements"
	"mooring/refresh"
	"mooring/web/bind"
	"mooring/web/request"
)

// nonceMember names the nonce of a spreadsheet, in a connect as in a link.
func nonceMember(o *bind.Object, into *string) { bind.Text(o, "nonce", into, maxNonce, nonceRule) }

// maxNonce is how long one may be, and aNonce its form.
const maxNonce = 64

var aNonce = regexp.MustCompile(`^[A-Za-z0-9_-]{16,64}$`)

func nonceRule(sent string) (placements.Code, string) {
	if !aNonce.MatchString(sent) {
		return placements.CodeInvalid, "must be 16 to 64 letters, digits, - and _"
	}
	return "", ""
}

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
