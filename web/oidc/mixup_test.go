package oidc

import (
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"
)

const (
	okta   = "https://acme.okta.com"
	gitlab = "https://gitlab.com"
)

// newRivals returns a provider of two issuers, of which the first names itself in its answers and the second is another's.
func newRivals(t *testing.T) (*world, *Provider) {
	t.Helper()
	w := newWorld(t, okta, gitlab)
	w.issuers[0].Signs = true
	w.issuers[0].Vouch(recorded(t, "okta", nil))
	w.issuers[1].Vouch(recorded(t, "gitlab", map[string]any{"groups": []string{"Finance"}}))
	w.issuers[1].ClientSecret = "another secret"
	first, second := ofGroup(okta, "Finance"), ofGroup(gitlab, "Finance")
	first.ClientID, first.ClientSecret = "mooring", "a secret of the client"
	second.ClientID, second.ClientSecret = "mooring", "another secret"
	return w, w.provider(first, second)
}

func TestSeveralIssuers(t *testing.T) {
	w, p := newRivals(t)
	for issuer, subject := range map[string]string{okta: "00u9vme99nxudvxZA0h7", gitlab: "4242"} {
		who, err := w.signsIn(p, issuer)
		if err != nil || who.Issuer != issuer || who.Subject != subject {
			t.Errorf("%s: %+v, %v", issuer, who, err)
		}
	}
	for _, issuer := range []string{"", "https://evil.example", okta + "/"} {
		if _, _, err := p.Begin(t.Context(), w, issuer, ourCallback, "/", time.Now()); !errors.Is(err, ErrAway) {
			t.Errorf("sent to %q: %v", issuer, err)
		}
	}
}

// The answer of an issuer counts for a sign-in that was begun with it, and for no other.
func TestMixedUpAnswers(t *testing.T) {
	for fact, tt := range map[string]struct {
		begun, came string                  // where the person was sent, and whose answer comes
		change      func(answer url.Values) // of the answer that comes
		vouch       func(w *world)          // for whom the issuer vouches that is asked
		want        string                  // of the refusal
	}{
		"the code of the other issuer":                   {begun: gitlab, came: okta, change: func(a url.Values) { a.Del("iss") }, want: "refuses the code"},
		"the code of the other issuer that names itself": {begun: gitlab, came: okta, want: "not of the issuer to which the person was sent"},
		"the code of one that does not name itself":      {begun: okta, came: gitlab, want: "names no issuer"},
		"an own code that names no issuer":               {begun: okta, came: okta, change: func(a url.Values) { a.Del("iss") }, want: "names no issuer"},
		"an own code under the other's name":             {begun: okta, came: okta, change: func(a url.Values) { a.Set("iss", gitlab) }, want: "not of the issuer"},
		"an own code under both names":                   {begun: okta, came: okta, change: func(a url.Values) { a.Add("iss", gitlab) }, want: "not of the issuer"},
		"a denial under the other's name": {begun: okta, came: okta, change: func(a url.Values) {
			a.Del("code")
			a.Set("error", "access_denied")
			a.Set("iss", gitlab)
		}, want: "not of the issuer"},
		"an ID token in the other's name": {begun: gitlab, came: gitlab, vouch: func(w *world) {
			w.issuers[1].Vouch(recorded(w.t, "okta", nil))
		}, want: "different provider"},
		"an ID token of another sign-in": {begun: gitlab, came: gitlab, vouch: func(w *world) {
			w.issuers[1].Vouch(recorded(w.t, "gitlab", map[string]any{"nonce": "another"}))
		}, want: "issued for another sign-in"},
		"an ID token for another client": {begun: gitlab, came: gitlab, vouch: func(w *world) {
			w.issuers[1].Vouch(recorded(w.t, "gitlab", map[string]any{"aud": "another"}))
		}, want: "not good"},
	} {
		w, p := newRivals(t)
		if tt.vouch != nil {
			tt.vouch(w)
		}
		own, browser := w.goes(p, tt.begun)
		answer := own
		if tt.came != tt.begun {
			answer, _ = w.goes(p, tt.came)
			answer.Set("state", own.Get("state"))
		}
		if tt.change != nil {
			tt.change(answer)
		}
		who, _, err := p.Finish(t.Context(), w, answer, browser)
		if refusal, refused := errors.AsType[*Refusal](err); !refused || !strings.Contains(refusal.Reason, tt.want) || refusal.Code != "" {
			t.Errorf("%s: %+v, %v", fact, who, err)
		}
	}
}

// A sign-in that was begun before issuers were remembered is finished by the only one; where there are several, by none.
func TestSignInsFromBeforeThereWereSeveralIssuers(t *testing.T) {
	for _, several := range []bool{false, true} {
		w, p := newRivals(t)
		if !several {
			p.clients = p.clients[:1]
		}
		answer, browser := w.goes(p, okta)
		s := w.sent[answer.Get("state")]
		s.Issuer = ""
		w.sent[answer.Get("state")] = s
		if _, _, err := p.Finish(t.Context(), w, answer, browser); errors.Is(err, ErrGone) != several {
			t.Errorf("several %v: %v", several, err)
		}
	}
	w, p := newRivals(t)
	answer, browser := w.goes(p, okta)
	p.clients = p.clients[1:]
	if _, _, err := p.Finish(t.Context(), w, answer, browser); !errors.Is(err, ErrGone) {
		t.Errorf("an issuer that is configured no longer: %v", err)
	}
}

// Each issuer has a name that no other has.
func TestNamesOfIssuers(t *testing.T) {
	addresses := []string{google, entra, okta, "https://sso.acme.com/realms/a", strings.ReplaceAll(entra, tidHole, otherID)}
	w := newWorld(t, addresses...)
	configs := []Config{workspace(), byGroups(entra), ofGroup(okta, "g"), ofGroup(addresses[3], "g"), ofGroup(addresses[4], "g")}
	for i := range configs {
		configs[i].ClientID = "mooring"
	}
	configs[2].Name = "Acme"
	var names []string
	for _, choice := range w.provider(configs...).Choices() {
		names = append(names, choice.Name)
	}
	want := "Google|Microsoft (login.microsoftonline.com/{tid}/v2.0)|Acme|sso.acme.com/realms/a|Microsoft (login.microsoftonline.com/" + otherID + "/v2.0)"
	if got := strings.Join(names, "|"); got != want {
		t.Errorf("%s", got)
	}
}
