package account

import (
	"context"
	"slices"
	"strings"
	"time"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/web/auth"
	"mooring/web/bind"
	"mooring/web/request"
)

// revocation is the wire form of a revoked token.
type revocation struct {
	TokenID string       `json:"jti"`
	At      *string      `json:"at"` // nil: it was revoked before that was recorded
	By      *record.User `json:"by"` // nil: on the command line, or before that was recorded
	Until   string       `json:"until"`
}

func shownRevocation(r record.Revocation) revocation {
	out := revocation{TokenID: record.JTI(r.TokenID), By: r.By, Until: placements.Time(r.Until)}
	if r.At != "" {
		out.At = &r.At
	}
	return out
}

// revocations returns the revoked tokens of the account that have not expired, the latest first.
func (a *API) revocations(ctx context.Context, c *request.Call) (any, error) {
	if err := demandAccount(c); err != nil {
		return nil, err
	}
	first, err := c.First()
	if err != nil {
		return nil, err
	}
	after, err := c.After(func(place string) bool { return strings.Contains(place, " ") })
	if err != nil {
		return nil, err
	}
	list, err := a.store.Tenants().Revocations(ctx, c.Caller.Tenant)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(a, b record.Revocation) int { return strings.Compare(placeOf(b), placeOf(a)) })
	list = slices.DeleteFunc(list, func(r record.Revocation) bool { return after != "" && placeOf(r) >= after })
	items, end := []revocation{}, ""
	for _, one := range list[:min(first, len(list))] {
		items, end = append(items, shownRevocation(one)), placeOf(one)
	}
	return request.PageOf(items, len(list) > first, end), nil
}

// placeOf is the place of a revocation in the list, by when and which.
func placeOf(r record.Revocation) string { return r.At + " " + r.TokenID }

// revocationBody is the body of a revocation: one of the two.
type revocationBody struct{ jti, token string }

// Members implements request.Body.
func (b *revocationBody) Members(o *bind.Object) {
	bind.Text(o, "jti", &b.jti, maxToken)
	bind.Text(o, "token", &b.token, maxToken)
}

// revoke revokes a token of the account, named by its id or sent itself: the caller's own or, with the action All for every deployment, any.
func (a *API) revoke(ctx context.Context, c *request.Call) (any, error) {
	var in revocationBody
	if err := c.Read(&in); err != nil {
		return nil, err
	}
	revoked, own, err := a.tokenToRevoke(ctx, c.Caller, in)
	if err != nil {
		return nil, err
	}
	if !own {
		if err := demandAccount(c); err != nil {
			return nil, err
		}
	}
	if err := a.store.Tenants().Revoke(ctx, c.Caller.Tenant, revoked.TokenID, revoked.Until, c.Caller.Actor); err != nil {
		return nil, err
	}
	list, err := a.store.Tenants().Revocations(ctx, c.Caller.Tenant)
	if i := slices.IndexFunc(list, func(r record.Revocation) bool { return r.TokenID == revoked.TokenID }); i >= 0 {
		revoked = list[i]
	}
	return shownRevocation(revoked), err
}

// tokenToRevoke is the token with the id that was sent, or the one that was sent whole. own reports whether it is the caller's.
func (a *API) tokenToRevoke(ctx context.Context, caller *auth.Caller, in revocationBody) (r record.Revocation, own bool, err error) {
	now, id, token := time.Now(), in.jti, in.token
	switch {
	case (id == "") == (token == ""):
		return r, false, placements.Errorf(placements.CodeInvalid, "Send either jti, the id of a token, or token, all of it.")
	case token != "":
		of, err := a.gate.Verify(ctx, token, now)
		if err != nil || of.Tenant != caller.Tenant {
			return r, false, badToken("/token", "This is no token of the account that is good now: check that all of it was sent.")
		}
		return record.Revocation{TokenID: of.TokenID, Until: of.Expires}, of.Identity() == caller.Identity(), nil
	case id == record.JTI(caller.TokenID):
		return record.Revocation{TokenID: caller.TokenID, Until: caller.Expires}, true, nil
	case !a.gate.Names(id):
		return r, false, badToken("/jti", "This is no jti as mooring key create prints it, 26 characters A-Z and 2-7: send all of the token.")
	}
	return record.Revocation{TokenID: id, Until: now.Add(auth.UnknownExpiry)}, false, nil
}

func badToken(pointer, message string) error {
	return placements.Faulty(placements.Detail{Pointer: pointer, Code: placements.CodeInvalid, Message: message})
}

// demandAccount refuses a caller who may not do everything in the whole account.
func demandAccount(c *request.Call) error {
	if c.Caller.ManagesAccount() {
		return nil
	}
	return placements.Errorf(placements.CodeForbidden,
		"Tokens of others are seen and revoked with the action All for every deployment: ask for a token with it.")
}
