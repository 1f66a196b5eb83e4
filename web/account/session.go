package account

import (
	"context"
	"time"

	"mooring/placements"
	"mooring/refresh"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/web/auth"
	"mooring/web/bind"
	"mooring/web/gate"
	"mooring/web/oidc"
	"mooring/web/request"
)

// sessions signs people in and out in browsers.
type sessions struct {
	store    *storage.Store
	gate     *gate.Gate
	engine   *refresh.Engine // knows the time zones of deployments; nil: they are UTC
	provider *oidc.Provider  // vouches for people; nil: they sign in with keys
	console  string          // the path of the console as browsers know it
	demo     bool            // the service is a demo, whose printed link signs in
	now      func() time.Time
}

// signInsPerMinute is how often a person may sign in, and how many people from an address.
const signInsPerMinute = 30

// signInMethods are how people may sign in.
type signInMethods struct {
	Methods []string      `json:"methods"`
	Issuers []oidc.Choice `json:"issuers,omitempty"` // of the method oidc
}

// methods answers with how people may sign in now.
func (s *sessions) methods(context.Context, *request.Call) (any, error) {
	out := signInMethods{[]string{"key"}, s.provider.Choices()}
	if len(out.Issuers) > 0 {
		out.Methods = append(out.Methods, "oidc")
	}
	if s.demo {
		out.Methods = append(out.Methods, "link")
	}
	return out, nil
}

// maxToken bounds a token that is sent.
const maxToken = 16 << 10

// signInBody is the body of a request to sign in.
type signInBody struct{ token string }

// Members implements request.Body.
func (b *signInBody) Members(o *bind.Object) {
	o.Required("token")
	bind.Text(o, "token", &b.token, maxToken)
}

// signIn begins a session with a key. Only a page of ours does: another could sign the person in as someone else.
func (s *sessions) signIn(ctx context.Context, c *request.Call) (any, error) {
	if !auth.SameOrigin(c.Request) {
		return nil, gate.ForeignPage()
	}
	var in signInBody
	if err := c.Read(&in); err != nil {
		return nil, err
	}
	shared, err := s.gate.ByToken(ctx, in.token)
	if err != nil {
		return nil, err
	}
	caller := *shared
	if err := s.begin(ctx, c, &caller); err != nil {
		return nil, err
	}
	return shownMe(s.gate, s.engine, &caller), nil
}

// begin signs the caller in in place of the session that the browser had.
func (s *sessions) begin(ctx context.Context, c *request.Call, caller *auth.Caller) error {
	if err := s.gate.Admit(c.Request, caller); err != nil {
		return err
	}
	if err := s.count(ctx, "person "+caller.Tenant+" "+caller.Holder(), tooManyOfPerson); err != nil {
		return err
	}
	cookies := s.gate.Cookies(c.Request)
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

// me answers with who the caller is.
func (s *sessions) me(_ context.Context, c *request.Call) (any, error) {
	return shownMe(s.gate, s.engine, c.Caller), nil
}

// signOut ends the session of the request.
func (s *sessions) signOut(ctx context.Context, c *request.Call) (any, error) {
	caller, cookies := c.Caller, s.gate.Cookies(c.Request)
	if caller.CSRF == "" {
		return nil, request.NotFound("session")
	}
	if caller.Keyless() {
		if err := s.store.Tenants().Revoke(ctx, caller.Tenant, caller.TokenID, caller.Expires, caller.Actor); err != nil {
			return nil, err
		}
	}
	if err := s.gate.Sessions().End(ctx, cookies.Session(c.Request)); err != nil {
		return nil, err
	}
	cookies.SetSession(c.Writer(), "", 0)
	return map[string]any{"signedOut": true}, nil
}

// What is said of a sign-in that is one too many.
const (
	tooManyOfPerson    = "This person, or this device or bounded key of theirs, signs in too often: wait as Retry-After says."
	tooManyFromAddress = "Too many people are sent to the provider of identities from this address: wait as Retry-After says."
)

// count refuses a holder, or an address, that signs in too often, saying so.
func (s *sessions) count(ctx context.Context, who, tooMany string) error {
	rate := record.Rate{PerSecond: signInsPerMinute / time.Minute.Seconds(), Burst: signInsPerMinute}
	wait, err := s.store.Tenants().CountSignIn(context.WithoutCancel(ctx), who, rate)
	if err != nil || wait == 0 {
		return err
	}
	e := placements.Errorf(placements.CodeRateLimited, "%s", tooMany)
	e.RetryAfter = wait
	return e
}
