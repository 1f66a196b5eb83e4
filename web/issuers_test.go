package web

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"mooring/storage/storagetest"
	"mooring/web/oidc"
	"mooring/web/oidc/oidcfake"
)

const (
	acmeID = "11111111-2222-4333-8444-555555555555"
	evilID = "99999999-8888-4777-8666-555555555555"
)

// issuersRig is a server that people reach at an address, and two issuers: one with groups and roles, as Entra ID, and one with emails.
type issuersRig struct {
	*providerRig
	entra, mail *oidcfake.Issuer
}

func newIssuersRig(t *testing.T) *issuersRig {
	t.Helper()
	r := &issuersRig{providerRig: &providerRig{t: t}}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) { r.sut.ServeHTTP(w, q) }))
	t.Cleanup(front.Close)
	r.base = front.URL
	issuers := oidcfake.Start(t, r.base+callbackPath, "/{tid}/v2.0", "/mail")
	r.entra, r.mail = issuers[0], issuers[1]
	r.mail.Signs = true
	r.issuer = strings.TrimSuffix(r.mail.URL, "/mail")
	configs := []oidc.Config{
		{
			Name: "Entra", Issuer: r.entra.URL, ClientID: r.entra.ClientID, ClientSecret: r.entra.ClientSecret,
			Tenants: map[string]string{acmeID: "acme"}, Subject: "oid", Actions: map[string][]string{"finance": {"ReportEdit"}},
		},
		{
			Issuer: r.mail.URL, ClientID: r.mail.ClientID, ClientSecret: r.mail.ClientSecret, Tenants: map[string]string{"acme.com": "acme", "gone.com": "gone"},
			From: "email", Actions: map[string][]string{"*@acme.com": {"ReportRead"}, "*@gone.com": {"All"}},
		},
	}
	for _, c := range configs {
		if err := c.Check(); err != nil {
			t.Fatal(err)
		}
	}
	provider := oidc.New(configs...)
	provider.Run(t.Context(), slog.New(slog.DiscardHandler))
	r.api = newAPI(t, storagetest.Open(t, "embedded"), func(c *Config) { c.PublicURL, c.Provider = r.base, provider })
	return r
}

// comes sends a person to an issuer, who vouches for them, and returns the address with which they come back.
func (v *visitor) comes(i *oidcfake.Issuer, claims map[string]any) string {
	v.t.Helper()
	i.Vouch(claims)
	answer, text := v.visit("GET", v.rig.base+signInPath+"?"+url.Values{"issuer": {i.URL}, "next": {"/console/device"}}.Encode(), nil)
	if answer.StatusCode != http.StatusFound {
		v.t.Fatalf("%s: %d %s", i.URL, answer.StatusCode, text)
	}
	return answer.Header.Get("Location")
}

func TestSigningInByOneOfSeveralIssuers(t *testing.T) {
	r := newIssuersRig(t)
	r.tokens["nobody"] = ""
	r.run(t, []step{{
		name: "each has a button", method: "GET", path: "/api/v1/session", as: "nobody", status: 200,
		holds: `{"methods":["key","oidc"],"issuers":[{"issuer":"` + r.entra.URL + `","name":"Entra"},{"issuer":"` + r.mail.URL + `","name":"` +
			strings.TrimPrefix(r.mail.URL, "http://") + `"}]}`,
	}})
	for query, want := range map[string]string{
		"": "/console/", "?next=/console/device": "/console/device", "?issuer=https://evil.example": "/console/?signin=provider_unavailable",
	} {
		if w := r.send(step{method: "GET", path: "/" + signInPath + query, as: "nobody"}); w.Code != http.StatusSeeOther || w.Header().Get("Location") != want {
			t.Errorf("%q leads to %d %s, want %s", query, w.Code, w.Header().Get("Location"), want)
		}
	}
	ana := r.visitor()
	if page := ana.returns(ana.comes(r.entra, map[string]any{
		"tid": acmeID, "sub": "pairwise", "oid": "3d9c5a6e", "preferred_username": "ana@acme.com", "email": "boss@acme.com", "groups": "finance",
	})); page != "/console/device" {
		t.Errorf("leads to %s", page)
	}
	who, _ := ana.me()
	if who.Tenant != "acme" || who.User.Email != "ana@acme.com" || strings.Join(who.Actions, " ") != "ReportEdit" {
		t.Errorf("by Entra: %+v", who)
	}
	bo := r.visitor()
	bo.returns(bo.comes(r.mail, map[string]any{"hd": "ACME.com", "sub": "7", "email": "Bo@acme.com", "email_verified": true}))
	if who, _ := bo.me(); who.User.Email != "Bo@acme.com" || strings.Join(who.Actions, " ") != "ReportRead" {
		t.Errorf("by mail: %+v", who)
	}
}

// asks sends a request of the person who is signed in.
func (v *visitor) asks(method, path, body string) string {
	v.t.Helper()
	who, _ := v.me()
	page := newSessionRig(v.t, v.rig.api)
	_, page.cookies["mooring"], _ = strings.Cut(v.cookies(), "mooring=")
	page.csrf = who.CSRF
	w := page.browse(method, path, body)
	if w.Code != http.StatusOK {
		v.t.Fatalf("%s %s: %d %s", method, path, w.Code, w.Body)
	}
	return w.Body.String()
}

// An address by which a person only knows their account is shown to them, and to nobody else: their reports, and on whose behalf they are
// queried, know people by emails that are theirs.
func TestAShownAddressGivesNoRights(t *testing.T) {
	r := newIssuersRig(t)
	ana, bo := r.visitor(), r.visitor()
	ana.returns(ana.comes(r.entra, map[string]any{"tid": acmeID, "sub": "s", "oid": "o", "upn": "boss@acme.com", "email": "boss@acme.com", "groups": "finance"}))
	bo.returns(bo.comes(r.mail, map[string]any{"hd": "acme.com", "sub": "7", "email": "bo@acme.com", "email_verified": true}))
	if who, _ := ana.me(); who.User.Email != "boss@acme.com" {
		t.Errorf("she is shown %q", who.User.Email)
	}
	var made struct{ ID int64 }
	report := ana.asks("POST", "/reports", aReport)
	if err := json.Unmarshal([]byte(report), &made); err != nil {
		t.Fatal(err)
	}
	connect := fmt.Sprintf("/reports/%d/connect-workbook", made.ID)
	hers := ana.asks("PUT", connect, `{"externalWorkbookId":"hers","resultLocation":"Sheet1!B2"}`)
	his := bo.asks("PUT", connect, `{"externalWorkbookId":"his","resultLocation":"Sheet1!B2"}`)
	if strings.Contains(report+hers, "boss@acme.com") || !strings.Contains(hers, `"runAs":{"uid":`) {
		t.Errorf("others are told who she is by her own word: %s\n%s", report, hers)
	}
	if !strings.Contains(his, `"email":"bo@acme.com"`) {
		t.Errorf("an email that is his is not that of runAs: %s", his)
	}
}

func TestWhyAnIssuersPersonIsNotLetIn(t *testing.T) {
	r := newIssuersRig(t)
	for fact, tt := range map[string]struct {
		issuer *oidcfake.Issuer
		claims map[string]any
		want   string
	}{
		"no group": {r.entra, map[string]any{"tid": acmeID, "sub": "s", "oid": "o", "groups": []string{"guests"}}, "no_group"},
		"too many groups": {r.entra, map[string]any{
			"tid": acmeID, "sub": "s", "oid": "o", "_claim_names": map[string]any{"groups": "src1"},
			"_claim_sources": map[string]any{"src1": map[string]any{"endpoint": "https://graph.example/getMemberObjects"}},
		}, "groups_overage"},
		"a foreign directory": {r.entra, map[string]any{"tid": evilID, "sub": "s", "oid": "o", "groups": []string{"finance"}}, "tenant"},
		"a foreign issuer": {r.entra, map[string]any{
			"tid": acmeID, "sub": "s", "oid": "o", "groups": []string{"finance"}, "iss": strings.Replace(r.entra.URL, "{tid}", evilID, 1),
		}, "refused"},
		"a foreign domain":            {r.mail, map[string]any{"hd": "evil.example", "sub": "s", "email": "a@acme.com", "email_verified": true}, "domain"},
		"no domain":                   {r.mail, map[string]any{"sub": "s", "email": "a@acme.com", "email_verified": true}, "domain"},
		"an email of another domain":  {r.mail, map[string]any{"hd": "acme.com", "sub": "s", "email": "a@evil.example", "email_verified": true}, "domain"},
		"an email that is not theirs": {r.mail, map[string]any{"hd": "acme.com", "sub": "s", "email": "a@acme.com"}, "email_unverified"},
		"a tenant that is not served": {r.mail, map[string]any{"hd": "gone.com", "sub": "s", "email": "a@gone.com", "email_verified": true}, "tenant"},
	} {
		v := r.visitor()
		if page := v.returns(v.comes(tt.issuer, tt.claims)); page != "/console/?signin="+tt.want {
			t.Errorf("%s: %s, want %s", fact, page, tt.want)
		}
		if _, status := v.me(); status != http.StatusUnauthorized {
			t.Errorf("%s: signed in nevertheless: %d", fact, status)
		}
	}
}

// A code of one issuer that comes with the state of another is not exchanged.
func TestAnswersOfAnotherIssuer(t *testing.T) {
	r := newIssuersRig(t)
	good := map[string]any{"tid": acmeID, "sub": "s", "oid": "o", "groups": []string{"finance"}}
	for fact, change := range map[string]func(own, other url.Values) url.Values{
		"the other's answer, under its name": func(own, other url.Values) url.Values {
			return url.Values{"code": other["code"], "iss": other["iss"], "state": own["state"]}
		},
		"the other's code": func(own, other url.Values) url.Values {
			return url.Values{"code": other["code"], "state": own["state"]}
		},
	} {
		v := r.visitor()
		other := mustQuery(t, v.comes(r.mail, good))
		own := mustQuery(t, v.comes(r.entra, good))
		if page := v.returns(r.base + callbackPath + "?" + change(own, other).Encode()); page != "/console/?signin=refused" {
			t.Errorf("%s: %s", fact, page)
		}
		if _, status := v.me(); status != http.StatusUnauthorized {
			t.Errorf("%s: signed in nevertheless: %d", fact, status)
		}
	}
}
