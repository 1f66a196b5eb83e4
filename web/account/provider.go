package account

import (
	"cmp"
	"errors"
	"net/http"
	"strings"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/web/auth"
	"mooring/web/oidc"
	"mooring/web/request"
)

// Where a browser begins to sign in by the provider of identities, and where the provider sends it back.
const (
	consolePath  = "/console/"
	signInPath   = consolePath + "signin"
	callbackPath = consolePath + "signed-in"
)

// root leads people to the console. Programs find nothing here.
func (s *sessions) root(c *request.Call) error {
	c.Set("Vary", "Accept")
	if !strings.Contains(c.Header("Accept"), "text/html") {
		return request.NothingHere()
	}
	http.Redirect(c.Writer(), c.Request, s.console, http.StatusFound)
	return nil
}

// consoleBelow returns the path of the console as browsers know it: a proxy may serve all of the service below a prefix, which publicURL has.
func consoleBelow(publicURL string) string {
	_, address, _ := strings.Cut(publicURL, "://")
	_, prefix, below := strings.Cut(address, "/")
	if !below {
		return consolePath
	}
	return "/" + prefix + consolePath
}

// sendToProvider sends a browser to the issuer of identities that the person chose. Where there are several and none is chosen, the page that
// they want to see lets them choose.
func (s *sessions) sendToProvider(c *request.Call) error {
	c.Set("Cache-Control", "no-store")
	issuer, next := c.Query("issuer"), oidc.PageBelow(s.console, c.Query("next"))
	switch choices := s.provider.Choices(); {
	case len(choices) == 0:
		s.showSignIn(c, "provider_unavailable")
		return nil
	case len(choices) > 1 && issuer == "":
		http.Redirect(c.Writer(), c.Request, next, http.StatusSeeOther)
		return nil
	}
	if err := s.count(c.Request.Context(), request.Network(c), tooManyFromAddress); err != nil {
		return err
	}
	ctx := c.Request.Context()
	address, browser, err := s.provider.Begin(ctx, s.store.Tenants(), issuer, s.gate.Address(c.Request)+callbackPath, next, s.now())
	if errors.Is(err, oidc.ErrAway) {
		s.showSignIn(c, "provider_unavailable")
		return nil
	}
	if err != nil {
		return err
	}
	s.gate.Cookies(c.Request).SetSignIn(c.Writer(), browser, oidc.Lifetime)
	http.Redirect(c.Writer(), c.Request, address, http.StatusFound)
	return nil
}

// returnFromProvider signs the person in for whom the provider vouches, and shows the page that they wanted to see.
func (s *sessions) returnFromProvider(c *request.Call) error {
	c.Set("Cache-Control", "no-store")
	c.Set("Referrer-Policy", "no-referrer")
	next, err := s.vouched(c)
	if err == nil {
		http.Redirect(c.Writer(), c.Request, next, http.StatusSeeOther)
		return nil
	}
	refusal, refused := errors.AsType[*oidc.Refusal](err)
	e, known := errors.AsType[*placements.Error](err)
	c.Note(err)
	switch {
	case refused:
		s.showSignIn(c, cmp.Or(string(refusal.Code), "refused"))
	case known && request.Status(e.Code) == http.StatusForbidden:
		s.showSignIn(c, "refused")
	case errors.Is(err, oidc.ErrGone):
		s.showSignIn(c, "expired")
	case known || request.Classified(err) != nil:
		return err
	default:
		s.showSignIn(c, "provider_unavailable")
	}
	return nil
}

// showSignIn leads to the page of signing in, which says why the person is not signed in.
func (s *sessions) showSignIn(c *request.Call, reason string) {
	http.Redirect(c.Writer(), c.Request, s.console+"?signin="+reason, http.StatusSeeOther)
}

// vouched begins the session of a person who comes back from the provider, and returns the page to show.
func (s *sessions) vouched(c *request.Call) (next string, err error) {
	ctx, cookies := c.Request.Context(), s.gate.Cookies(c.Request)
	who, next, err := s.provider.Finish(ctx, s.store.Tenants(), c.Request.URL.Query(), cookies.SignIn(c.Request))
	if err != nil {
		return "", err
	}
	cookies.SetSignIn(c.Writer(), "", 0)
	if !s.gate.Known(who.Tenant) { // before anything is written for it
		return "", &oidc.Refusal{Reason: "the provider names a tenant that is not served", Code: oidc.Tenant}
	}
	if who.UID == 0 {
		if who.UID, err = s.store.Tenants().UserOf(ctx, who.Tenant, who.Issuer, who.Subject); err != nil {
			return "", err
		}
	}
	caller := auth.Vouched(auth.Caller{
		Actor:  record.Actor{ID: who.UID, Email: who.Email, Name: who.Name, Roles: who.Roles, Actions: who.Actions},
		Tenant: who.Tenant, Issuer: who.Issuer, Subject: who.Subject, Shown: who.Shown,
	}, s.now())
	return next, s.begin(ctx, c, caller)
}
