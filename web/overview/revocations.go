package overview

import (
	"context"
	"slices"
	"strings"
	"time"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/web/auth"
	"mooring/web/bind"
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

// Revocations returns the revoked tokens of the account that have not expired, the latest first.
func (o *Operations) Revocations(ctx context.Context, c Call) (any, error) {
	if err := c.demandAccount(); err != nil {
		return nil, err
	}
	first, err := c.first()
	if err != nil {
		return nil, err
	}
	after, err := c.after(func(place string) bool { return strings.Contains(place, " ") })
	if err != nil {
		return nil, err
	}
	list, err := o.Store.Tenants().Revocations(ctx, c.Caller.Tenant)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(a, b record.Revocation) int { return strings.Compare(placeOf(b), placeOf(a)) })
	list = slices.DeleteFunc(list, func(r record.Revocation) bool { return after != "" && placeOf(r) >= after })
	items, end := []revocation{}, ""
	for _, one := range list[:min(first, len(list))] {
		items, end = append(items, shownRevocation(one)), placeOf(one)
	}
	return pageOf(items, len(list) > first, end), nil
}

// placeOf is the place of a revocation in the list, by when and which.
func placeOf(r record.Revocation) string { return r.At + " " + r.TokenID }

// maxToken bounds a token that is sent.
const maxToken = 16 << 10

// TokenToRevoke is the body of Revoke: one of the two.
type TokenToRevoke struct{ jti, token string }

// Members binds the body.
func (t *TokenToRevoke) Members(b *bind.Object) {
	bind.Text(b, "jti", &t.jti, maxToken)
	bind.Text(b, "token", &t.token, maxToken)
}

// Revoke revokes a token of the account, named by its id or sent itself: the caller's own or, with the action All for every deployment, any.
func (o *Operations) Revoke(ctx context.Context, c Call) (any, error) {
	var in TokenToRevoke
	if err := c.Body(in.Members); err != nil {
		return nil, err
	}
	revoked, own, err := o.tokenToRevoke(ctx, c.Caller, in)
	if err != nil {
		return nil, err
	}
	if !own {
		if err := c.demandAccount(); err != nil {
			return nil, err
		}
	}
	if err := o.Store.Tenants().Revoke(ctx, c.Caller.Tenant, revoked.TokenID, revoked.Until, c.Caller.Actor); err != nil {
		return nil, err
	}
	list, err := o.Store.Tenants().Revocations(ctx, c.Caller.Tenant)
	if i := slices.IndexFunc(list, func(r record.Revocation) bool { return r.TokenID == revoked.TokenID }); i >= 0 {
		revoked = list[i]
	}
	return shownRevocation(revoked), err
}

// tokenToRevoke is the token with the id that was sent, or the one that was sent whole. own reports whether it is the caller's.
func (o *Operations) tokenToRevoke(ctx context.Context, caller *auth.Caller, in TokenToRevoke) (r record.Revocation, own bool, err error) {
	now, id, token := time.Now(), in.jti, in.token
	switch {
	case (id == "") == (token == ""):
		return r, false, placements.Errorf(placements.CodeInvalid, "Send either jti, the id of a token, or token, all of it.")
	case token != "":
		of, err := o.Tokens.Verify(ctx, token, now)
		if err != nil || of.Tenant != caller.Tenant {
			return r, false, badToken("/token", "This is no token of the account that is good now: check that all of it was sent.")
		}
		return record.Revocation{TokenID: of.TokenID, Until: of.Expires}, of.Identity() == caller.Identity(), nil
	case id == record.JTI(caller.TokenID):
		return record.Revocation{TokenID: caller.TokenID, Until: caller.Expires}, true, nil
	case !o.Tokens.Names(id):
		return r, false, badToken("/jti", "This is no jti as mooring key create prints it, 26 characters A-Z and 2-7: send all of the token.")
	}
	return record.Revocation{TokenID: id, Until: now.Add(auth.UnknownExpiry)}, false, nil
}

func badToken(pointer, message string) error {
	return placements.Faulty(placements.Detail{Pointer: pointer, Code: placements.CodeInvalid, Message: message})
}

// demandAccount refuses a caller who may not do everything in the whole account.
func (c *Call) demandAccount() error {
	if c.Caller.ManagesAccount() {
		return nil
	}
	return placements.Errorf(placements.CodeForbidden,
		"Tokens of others are seen and revoked with the action All for every deployment: ask for a token with it.")
}
