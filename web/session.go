package web

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/web/auth"
	"mooring/web/bind"
	"mooring/web/oidc"
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
func (s *Server) getRoot(c *gin.Context) error {
	c.Header("Vary", "Accept")
	if !strings.Contains(c.GetHeader("Accept"), "text/html") {
		return nothingHere()
	}
	c.Redirect(http.StatusFound, s.console())
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

// cookies returns those of the request's kind of address.
func (s *Server) cookies(c *gin.Context) auth.Cookies { return auth.Cookies{Secure: s.secure(c)} }

// secure reports whether the browser came by https, as the connection or a trusted proxy says; without either, if it came to publicURL and
// that does.
func (s *Server) secure(c *gin.Context) bool {
	if c.Request.TLS != nil {
		return true
	}
	if scheme := c.GetHeader("X-Forwarded-Proto"); scheme != "" && s.proxied(c) {
		return scheme == "https"
	}
	host, https := strings.CutPrefix(s.publicURL, "https://")
	host, _, _ = strings.Cut(host, "/")
	return https && hostname(host) == hostname(c.Request.Host)
}

// proxied reports whether the request came through a trusted proxy.
func (s *Server) proxied(c *gin.Context) bool {
	from, err := netip.ParseAddr(c.RemoteIP())
	if err != nil {
		return false
	}
	for _, proxy := range s.proxies {
		network, err := netip.ParsePrefix(proxy)
		if one, noAddress := netip.ParseAddr(proxy); noAddress == nil {
			network, err = one.Prefix(one.BitLen())
		}
		if err == nil && network.Contains(from.Unmap()) {
			return true
		}
	}
	return false
}

// bySession returns whose session a cookie is. A page of another origin does not act with it.
func (s *Server) bySession(c *gin.Context, cookie string) (*auth.Caller, error) {
	if !auth.SameOrigin(c.Request) {
		return nil, foreignPage()
	}
	rules := s.rules.Load()
	caller, err := s.sessions.Caller(c.Request.Context(), cookie, s.now())
	switch {
	case err != nil:
		return nil, err
	case caller == nil, !rules.trust(caller):
		return nil, placements.Errorf(placements.CodeUnauthorized, "The session has ended: sign in again.")
	case !caller.Intends(c.Request):
		return nil, placements.Errorf(placements.CodeCSRF,
			"A session's write needs the header %s: send csrf of %s/me as it is now.", auth.CSRFHeader, root)
	}
	if rules.issuers[caller.Issuer] != nil && !caller.Keyless() && record.IssuerOf(caller.TokenID) == "" {
		caller.TokenID = record.TokenOf(caller.Issuer, caller.TokenID) // it was begun before ids named issuers
	}
	return caller, nil
}

func foreignPage() error {
	return placements.Errorf(placements.CodeForeignPage,
		"A session is for pages of this service only: send the header Authorization: Bearer <token> from elsewhere.")
}

// signInMethods are how people may sign in.
type signInMethods struct {
	Methods []string      `json:"methods"`
	Issuers []oidc.Choice `json:"issuers,omitempty"` // of the method oidc
}

// getSignIn answers with how people may sign in now.
func (s *Server) getSignIn(c *gin.Context) error {
	out := signInMethods{[]string{"key"}, s.provider.Choices()}
	if len(out.Issuers) > 0 {
		out.Methods = append(out.Methods, "oidc")
	}
	c.JSON(http.StatusOK, out)
	return nil
}

// signInInput is the body of a request to sign in.
type signInInput struct{ token string }

func (b *signInInput) members(o *bind.Object) {
	o.Required("token")
	bind.Text(o, "token", &b.token, maxToken)
}

// signIn begins a session with a key. Only a page of ours does: another could sign the person in as someone else.
func (s *Server) signIn(c *gin.Context) error {
	if !auth.SameOrigin(c.Request) {
		return foreignPage()
	}
	in := new(signInInput)
	if err := s.read(c, in); err != nil {
		return err
	}
	shared, err := s.byToken(c, in.token)
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
func (s *Server) beginSession(c *gin.Context, caller *auth.Caller) error {
	if err := s.admit(c, caller); err != nil {
		return err
	}
	if err := s.countSignIn(c, "person "+caller.Tenant+" "+caller.Holder(), tooManyOfPerson); err != nil {
		return err
	}
	ctx, cookies := c.Request.Context(), s.cookies(c)
	if before := cookies.Session(c.Request); before != "" {
		if err := s.sessions.End(ctx, before); err != nil {
			return err
		}
	}
	cookie, err := s.sessions.Begin(ctx, caller)
	if err != nil {
		return err
	}
	cookies.SetSession(c.Writer, cookie, caller.Expires.Sub(s.now()))
	return nil
}

// signOut ends the session of the request.
func (s *Server) signOut(c *gin.Context) error {
	caller, cookies := current(c).Caller, s.cookies(c)
	if caller.CSRF == "" {
		return notFound("session")
	}
	ctx := c.Request.Context()
	if caller.Keyless() {
		if err := s.store.Tenants().Revoke(ctx, caller.Tenant, caller.TokenID, caller.Expires, caller.Actor); err != nil {
			return err
		}
	}
	if err := s.sessions.End(ctx, cookies.Session(c.Request)); err != nil {
		return err
	}
	cookies.SetSession(c.Writer, "", 0)
	c.JSON(http.StatusOK, gin.H{"signedOut": true})
	return nil
}

// sendToProvider sends a browser to the issuer of identities that the person chose. Where there are several and none is chosen, the page that
// they want to see lets them choose.
func (s *Server) sendToProvider(c *gin.Context) error {
	c.Header("Cache-Control", "no-store")
	issuer, next := c.Query("issuer"), oidc.PageBelow(s.console(), c.Query("next"))
	switch choices := s.provider.Choices(); {
	case len(choices) == 0:
		s.showSignIn(c, "provider_unavailable")
		return nil
	case len(choices) > 1 && issuer == "":
		c.Redirect(http.StatusSeeOther, next)
		return nil
	}
	if err := s.countSignIn(c, network(c.ClientIP()), tooManyFromAddress); err != nil {
		return err
	}
	ctx := c.Request.Context()
	address, browser, err := s.provider.Begin(ctx, s.store.Tenants(), issuer, s.address(c)+callbackPath, next, s.now())
	if errors.Is(err, oidc.ErrAway) {
		s.showSignIn(c, "provider_unavailable")
		return nil
	}
	if err != nil {
		return err
	}
	s.cookies(c).SetSignIn(c.Writer, browser, oidc.Lifetime)
	c.Redirect(http.StatusFound, address)
	return nil
}

// What is said of a sign-in that is one too many.
const (
	tooManyOfPerson    = "This person, or this device or bounded key of theirs, signs in too often: wait as Retry-After says."
	tooManyFromAddress = "Too many people are sent to the provider of identities from this address: wait as Retry-After says."
)

// countSignIn refuses a holder, or an address, that signs in too often, saying so.
func (s *Server) countSignIn(c *gin.Context, who, tooMany string) error {
	rate := record.Rate{PerSecond: signInsPerMinute / time.Minute.Seconds(), Burst: signInsPerMinute}
	wait, err := s.store.Tenants().CountSignIn(context.WithoutCancel(c.Request.Context()), who, rate)
	if err != nil || wait == 0 {
		return err
	}
	e := placements.Errorf(placements.CodeRateLimited, "%s", tooMany)
	e.RetryAfter = wait
	return e
}

// returnFromProvider signs the person in for whom the provider vouches, and shows the page that they wanted to see.
func (s *Server) returnFromProvider(c *gin.Context) error {
	c.Header("Cache-Control", "no-store")
	c.Header("Referrer-Policy", "no-referrer")
	next, err := s.vouched(c)
	if err == nil {
		c.Redirect(http.StatusSeeOther, next)
		return nil
	}
	refusal, refused := errors.AsType[*oidc.Refusal](err)
	e, known := errors.AsType[*placements.Error](err)
	switch current(c).err = err; {
	case refused:
		s.showSignIn(c, cmp.Or(string(refusal.Code), "refused"))
	case known && responseTo(e.Code).status == http.StatusForbidden:
		s.showSignIn(c, "refused")
	case errors.Is(err, oidc.ErrGone):
		s.showSignIn(c, "expired")
	case known || classified(err) != nil:
		return err
	default:
		s.showSignIn(c, "provider_unavailable")
	}
	return nil
}

// showSignIn leads to the page of signing in, which says why the person is not signed in.
func (s *Server) showSignIn(c *gin.Context, reason string) {
	c.Redirect(http.StatusSeeOther, s.console()+"?signin="+reason)
}

// vouched begins the session of a person who comes back from the provider, and returns the page to show.
func (s *Server) vouched(c *gin.Context) (next string, err error) {
	ctx, cookies := c.Request.Context(), s.cookies(c)
	who, next, err := s.provider.Finish(ctx, s.store.Tenants(), c.Request.URL.Query(), cookies.SignIn(c.Request))
	if err != nil {
		return "", err
	}
	cookies.SetSignIn(c.Writer, "", 0)
	if _, served := s.tenants[who.Tenant]; !served { // before anything is written for it
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
	return next, s.beginSession(c, caller)
}

// credentials returns who the request's token speaks for; without one, whose session its cookie is.
func (s *Server) credentials(c *gin.Context) (*auth.Caller, error) {
	sent := c.GetHeader("Authorization")
	if cookie := s.cookies(c).Session(c.Request); sent == "" && cookie != "" {
		return s.bySession(c, cookie)
	}
	scheme, token, _ := strings.Cut(sent, " ")
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return nil, placements.Errorf(placements.CodeUnauthorized, "Send the header Authorization: Bearer <token>.")
	}
	return s.byToken(c, token)
}
