package web

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/web/auth"
	"mooring/web/bind"
	"mooring/web/gate"
	"mooring/web/oidc"
	"mooring/web/request"
)

// Where a browser begins to sign in by the provider of identities, and where the provider sends it back.
const (
	consolePath  = "/console/"
	signInPath   = consolePath + "signin"
	callbackPath = consolePath + "signed-in"
)

// The bounds of signing in.
const (
	signInsPerMinute = 30 // of a person, and from an address
	maxToken         = 16 << 10
)

// getRoot leads people to the console. Programs find nothing here.
func (s *Server) getRoot(c *request.Call) error {
	c.Set("Vary", "Accept")
	if !strings.Contains(c.Header("Accept"), "text/html") {
		return request.NothingHere()
	}
	http.Redirect(c.Writer(), c.Request, s.console(), http.StatusFound)
	return nil
}

// console returns the path of the console as browsers know it: a proxy may serve all of the service below a prefix, which publicURL has.
func (s *Server) console() string {
	_, address, _ := strings.Cut(s.publicURL, "://")
	_, prefix, below := strings.Cut(address, "/")
	if !below {
		return consolePath
	}
	return "/" + prefix + consolePath
}

// signInMethods are how people may sign in.
type signInMethods struct {
	Methods []string      `json:"methods"`
	Issuers []oidc.Choice `json:"issuers,omitempty"` // of the method oidc
}

// getSignIn answers with how people may sign in now.
func (s *Server) getSignIn(c *request.Call) error {
	out := signInMethods{[]string{"key"}, s.provider.Choices()}
	if len(out.Issuers) > 0 {
		out.Methods = append(out.Methods, "oidc")
	}
	c.JSON(http.StatusOK, out)
	return nil
}

// signInInput is the body of a request to sign in.
type signInInput struct{ token string }

// Members implements request.Body.
func (b *signInInput) Members(o *bind.Object) {
	o.Required("token")
	bind.Text(o, "token", &b.token, maxToken)
}

// signIn begins a session with a key. Only a page of ours does: another could sign the person in as someone else.
func (s *Server) signIn(c *request.Call) error {
	if !auth.SameOrigin(c.Request) {
		return gate.ForeignPage()
	}
	in := new(signInInput)
	if err := s.read(c, in); err != nil {
		return err
	}
	shared, err := s.gate.ByToken(c.Request.Context(), in.token)
	if err != nil {
		return err
	}
	caller := *shared
	if err := s.beginSession(c, &caller); err != nil {
		return err
	}
	return s.answerMe(c, &caller)
}

// beginSession signs the caller in in place of the session that the browser had.
func (s *Server) beginSession(c *request.Call, caller *auth.Caller) error {
	if err := s.gate.Admit(c.Request, caller); err != nil {
		return err
	}
	if err := s.countSignIn(c, "person "+caller.Tenant+" "+caller.Holder(), tooManyOfPerson); err != nil {
		return err
	}
	ctx, cookies := c.Request.Context(), s.gate.Cookies(c.Request)
	if before := cookies.Session(c.Request); before != "" {
		if err := s.gate.Sessions().End(ctx, before); err != nil {
			return err
		}
	}
	cookie, err := s.gate.Sessions().Begin(ctx, caller)
	if err != nil {
		return err
	}
	cookies.SetSession(c.Writer(), cookie, caller.Expires.Sub(s.now()))
	return nil
}

// signOut ends the session of the request.
func (s *Server) signOut(c *request.Call) error {
	caller, cookies := c.Caller, s.gate.Cookies(c.Request)
	if caller.CSRF == "" {
		return request.NotFound("session")
	}
	ctx := c.Request.Context()
	if caller.Keyless() {
		if err := s.store.Revoke(ctx, caller.Tenant, caller.TokenID, caller.Expires, caller.Actor); err != nil {
			return err
		}
	}
	if err := s.gate.Sessions().End(ctx, cookies.Session(c.Request)); err != nil {
		return err
	}
	cookies.SetSession(c.Writer(), "", 0)
	c.JSON(http.StatusOK, map[string]any{"signedOut": true})
	return nil
}

// sendToProvider sends a browser to the issuer of identities that the person chose. Where there are several and none is chosen, the page that
// they want to see lets them choose.
func (s *Server) sendToProvider(c *request.Call) error {
	c.Set("Cache-Control", "no-store")
	issuer, next := c.Query("issuer"), oidc.PageBelow(s.console(), c.Query("next"))
	switch choices := s.provider.Choices(); {
	case len(choices) == 0:
		s.showSignIn(c, "provider_unavailable")
		return nil
	case len(choices) > 1 && issuer == "":
		http.Redirect(c.Writer(), c.Request, next, http.StatusSeeOther)
		return nil
	}
	if err := s.countSignIn(c, request.Network(c), tooManyFromAddress); err != nil {
		return err
	}
	ctx := c.Request.Context()
	address, browser, err := s.provider.Begin(ctx, s.store, issuer, s.gate.Address(c.Request)+callbackPath, next, s.now())
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

// What is said of a sign-in that is one too many.
const (
	tooManyOfPerson    = "This person, or this device or bounded key of theirs, signs in too often: wait as Retry-After says."
	tooManyFromAddress = "Too many people are sent to the provider of identities from this address: wait as Retry-After says."
)

// countSignIn refuses a holder, or an address, that signs in too often, saying so.
func (s *Server) countSignIn(c *request.Call, who, tooMany string) error {
	rate := record.Rate{PerSecond: signInsPerMinute / time.Minute.Seconds(), Burst: signInsPerMinute}
	wait, err := s.store.CountSignIn(context.WithoutCancel(c.Request.Context()), who, rate)
	if err != nil || wait == 0 {
		return err
	}
	e := placements.Errorf(placements.CodeRateLimited, "%s", tooMany)
	e.RetryAfter = wait
	return e
}

// returnFromProvider signs the person in for whom the provider vouches, and shows the page that they wanted to see.
func (s *Server) returnFromProvider(c *request.Call) error {
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
func (s *Server) showSignIn(c *request.Call, reason string) {
	http.Redirect(c.Writer(), c.Request, s.console()+"?signin="+reason, http.StatusSeeOther)
}

// vouched begins the session of a person who comes back from the provider, and returns the page to show.
func (s *Server) vouched(c *request.Call) (next string, err error) {
	ctx, cookies := c.Request.Context(), s.gate.Cookies(c.Request)
	who, next, err := s.provider.Finish(ctx, s.store, c.Request.URL.Query(), cookies.SignIn(c.Request))
	if err != nil {
		return "", err
	}
	cookies.SetSignIn(c.Writer(), "", 0)
	if !s.gate.Known(who.Tenant) { // before anything is written for it
		return "", &oidc.Refusal{Reason: "the provider names a tenant that is not served", Code: oidc.Tenant}
	}
	if who.UID == 0 {
		if who.UID, err = s.store.UserOf(ctx, who.Tenant, who.Issuer, who.Subject); err != nil {
			return "", err
		}
	}
	caller := auth.Vouched(auth.Caller{
		Actor:  record.Actor{ID: who.UID, Email: who.Email, Name: who.Name, Roles: who.Roles, Actions: who.Actions},
		Tenant: who.Tenant, Issuer: who.Issuer, Subject: who.Subject, Shown: who.Shown,
	}, s.now())
	return next, s.beginSession(c, caller)
}
