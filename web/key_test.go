package web

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"mooring/storage/record"
	"mooring/web/auth"
)

// keyMade is the answer to a request for a key.
type keyMade struct {
	status               int
	Token, ID, ExpiresAt string
	text                 string
}

// makes asks for a key as one of the rig's tokens.
func (r *sessionRig) makes(as, body string) keyMade {
	r.t.Helper()
	return keyMadeOf(r.send(step{method: "POST", path: "/api/v1/keys", as: as, body: body}))
}

// madeInConsole asks for a key as who is signed in.
func (r *sessionRig) madeInConsole(body string) keyMade {
	r.t.Helper()
	return keyMadeOf(r.browse("POST", "/api/v1/keys", body))
}

func keyMadeOf(w *httptest.ResponseRecorder) keyMade {
	made := keyMade{status: w.Code, text: w.Body.String()}
	_ = json.Unmarshal(w.Body.Bytes(), &made) // a refusal has none
	return made
}

// keyOf makes a key that must be made, and keeps its token under a name.
func (r *sessionRig) keyOf(as, name, body string) keyMade {
	r.t.Helper()
	made := r.makes(as, body)
	if made.status != http.StatusCreated || made.Token == "" || !auth.IsTokenID(made.ID) {
		r.t.Fatalf("%d %s", made.status, made.text)
	}
	r.tokens[name] = made.Token
	return made
}

// keysSeenBy are the ids of the keys that a token lists.
func (r *sessionRig) keysSeenBy(as string) (ids []string) {
	r.t.Helper()
	w := r.send(step{method: "GET", path: "/api/v1/keys", as: as})
	var page struct{ Items []struct{ ID string } }
	if err := json.Unmarshal(w.Body.Bytes(), &page); err != nil || w.Code != http.StatusOK {
		r.t.Fatalf("%d %s", w.Code, w.Body)
	}
	for _, one := range page.Items {
		ids = append(ids, one.ID)
	}
	return ids
}

// statusOf is what a token gets who asks who it speaks for.
func (r *sessionRig) statusOf(as string) int {
	return r.send(step{method: "GET", path: "/api/v1/me", as: as}).Code
}

const readingKey = `{"name":"Pipeline","deployments":[1],"actions":["ReportRead"],"days":30}`

func TestAKeyIsMadeOnceAndListedWithoutItsToken(t *testing.T) {
	eachSession(t, func(t *testing.T, r *sessionRig) {
		w := r.send(step{method: "POST", path: "/api/v1/keys", as: "admin", body: readingKey, header: map[string]string{"Idempotency-Key": "once"}})
		made := keyMadeOf(w)
		if w.Code != http.StatusCreated || w.Header().Get("Cache-Control") != "no-store" {
			t.Fatalf("%d %v %s", w.Code, w.Header(), w.Body)
		}
		r.tokens["made"] = made.Token
		r.run(t, []step{
			{
				name: "it acts for its maker, as far as was chosen", method: "GET", path: "/api/v1/me", as: "made", status: 200,
				holds: `{"user":{"id":9},"deployments":[{"id":1}],"actions":["ReportRead"],"bound":["ReportRead"],"expiresAt":"` + made.ExpiresAt + `"}`,
			},
			{name: "it reads there", method: "GET", path: "/reports", as: "made", status: 200},
			{name: "and in no other deployment", method: "GET", path: "/api/v1/deployments/2/reports", as: "made", status: 403},
			{name: "it writes nothing", method: "POST", path: "/reports", as: "made", body: aReport, status: 403},
			{
				name: "it is listed with its use", method: "GET", path: "/api/v1/keys", as: "admin", status: 200,
				holds: `{"items":[{"id":"` + made.ID + `","name":"Pipeline","deployments":[1],"actions":["ReportRead"],"bound":["ReportRead"],"madeBy":{"id":9}}]}`,
			},
			{name: "a page beyond it is empty", method: "GET", path: "/api/v1/keys?after=" + made.ID, as: "admin", status: 200, holds: `{"items":[]}`},
			{name: "a cursor is one of the list", method: "GET", path: "/api/v1/keys?after=x", as: "admin", status: 400},
			{name: "the audit has who made it", method: "GET", path: "/api/v1/audit", as: "admin", status: 200, says: []string{`"key.create"`, made.ID, "Pipeline"}},
			{name: "an Idempotency-Key repeats nothing", method: "POST", path: "/api/v1/keys", as: "admin", body: readingKey, header: map[string]string{"Idempotency-Key": "once"}, status: 201},
		})
		if ids := r.keysSeenBy("admin"); len(ids) != 2 || ids[0] == made.ID && ids[1] == made.ID {
			t.Errorf("keys: %v", ids)
		}
		for _, path := range []string{"/api/v1/keys", "/api/v1/audit"} {
			text := r.send(step{method: "GET", path: path, as: "admin"}).Body.String()
			if strings.Contains(text, made.Token[:30]) || strings.Contains(text, strings.Split(made.Token, ".")[2]) {
				t.Errorf("%s has the token: %s", path, text)
			}
			if path == "/api/v1/keys" && strings.Count(text, `"usedAt":null`) != 1 {
				t.Errorf("one of two keys was used: %s", text)
			}
		}
	})
}

// Nobody gets by a key what their own token does not have.
func TestKeysGoNoFurtherThanTheirMaker(t *testing.T) {
	onSession(t, func(t *testing.T, r *sessionRig) {
		r.keyOf("admin", "of admin", `{"name":"all","deployments":[1],"actions":["All"],"days":1}`)
		r.tokens["device"] = r.paired("admin", `{"deployments":[1],"actions":["All"]}`).AccessToken
		key := func(deployments, actions, more string) string {
			return `{"name":"k","deployments":` + deployments + `,"actions":` + actions + `,"days":1` + more + `}`
		}
		for _, tt := range []struct {
			fact, as, body string
			status         int
		}{
			{"a token without All makes none", "manager", key("[1]", `["ReportRead"]`, ""), 403},
			{"a key made so makes none, though it may everything", "of admin", key("[1]", `["ReportRead"]`, ""), 403},
			{"a device makes none, though it may everything", "device", key("[1]", `["ReportRead"]`, ""), 403},
			{"a deployment that the maker's token is not for", "only2", key("[1]", `["ReportRead"]`, ""), 403},
			{"nor one of several", "only2", key("[2,1]", `["ReportRead"]`, ""), 403},
			{"one that there is not", "admin", key("[1,99]", `["ReportRead"]`, ""), 400},
			{"no deployment", "admin", key("[]", `["ReportRead"]`, ""), 400},
			{"a day too many", "admin", `{"name":"k","deployments":[1],"actions":[],"days":366}`, 400},
			{"no day", "admin", `{"name":"k","deployments":[1],"actions":[],"days":0}`, 400},
			{"no name", "admin", `{"name":"","deployments":[1],"actions":[],"days":1}`, 400},
			{"roles of another are no member", "admin", key("[1]", `[]`, `,"roles":[7]`), 201},
			{"without a token", "nobody", key("[1]", `[]`, ""), 401},
		} {
			if made := r.makes(tt.as, tt.body); made.status != tt.status {
				t.Errorf("%s: %d, want %d: %s", tt.fact, made.status, tt.status, made.text)
			}
		}
		r.signsIn("editor")
		for _, tt := range []struct {
			fact, body string
			status     int
		}{
			{"who is signed in makes one of their actions", key("[1]", `["ReportEdit"]`, ""), 201},
			{"and of what they imply", key("[1,2]", `["ReportRead","WorkbookRead"]`, ""), 201},
			{"but none that goes further", key("[1]", `["ReportManage"]`, ""), 403},
			{"or everywhere", key("[1]", `["ReportEdit","All"]`, ""), 403},
			{"or is not known", key("[1]", `["Fly"]`, ""), 403},
		} {
			if made := r.madeInConsole(tt.body); made.status != tt.status {
				t.Errorf("%s: %d, want %d: %s", tt.fact, made.status, tt.status, made.text)
			}
		}
		r.wants("a page of another origin makes none", 403, "POST", "/api/v1/keys", readingKey, "Sec-Fetch-Site", "cross-site")
		r.wants("nor one without the CSRF", 403, "POST", "/api/v1/keys", readingKey, auth.CSRFHeader, "")
		r.signsIn("of admin")
		r.wants("a session of a key made so makes none", 403, "POST", "/api/v1/keys", readingKey)
	})
}

// What roles allow, or having created something, reaches as far as the bound: the roles are those of the maker, at that time.
func TestAKeyHasItsMakersRoles(t *testing.T) {
	onSession(t, func(t *testing.T, r *sessionRig) {
		r.run(t, []step{
			report("Sales"),
			{name: "a role may edit it", method: "PUT", path: "/reports/{{id}}/access", as: "manager", body: `{"rolesWithAccess":[{"id":7,"name":"R","actions":["ReportEdit"]}]}`, status: 200},
		})
		r.signsIn("role7")
		for name, bound := range map[string]string{"narrow": `[]`, "reads": `["ReportRead"]`, "edits": `["ReportEdit"]`} {
			made := r.madeInConsole(`{"name":"k","deployments":[1],"actions":[],"days":1,"bound":` + bound + `}`)
			if made.status != http.StatusCreated {
				t.Fatalf("%s: %d %s", name, made.status, made.text)
			}
			r.tokens[name] = made.Token
		}
		r.run(t, []step{
			{name: "bounded to nothing it sees nothing", method: "GET", path: "/reports/{{id}}", as: "narrow", status: 404},
			{name: "bounded to reading it reads", method: "GET", path: "/reports/{{id}}", as: "reads", status: 200},
			{name: "and does not edit as the role does", method: "PUT", path: "/reports/{{id}}", as: "reads", body: `{"title":"T"}`, status: 403},
			{name: "bounded to editing it edits", method: "PUT", path: "/reports/{{id}}", as: "edits", body: `{"title":"T"}`, status: 200},
		})
	})
}

// A key ends with what it was made with: its expiry, its revocation, the key that signed it.
func TestAKeyEndsWithItsMaker(t *testing.T) {
	eachSession(t, func(t *testing.T, r *sessionRig) {
		token, maker, err := r.keys.Sign(auth.Caller{Tenant: "acme", Actor: record.Actor{ID: 9, Actions: []string{"All"}}}, r.server.now(), time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		r.tokens["maker"] = token
		made := r.keyOf("maker", "made", `{"name":"k","deployments":[1],"actions":["ReportRead"],"days":365}`)
		if ends, err := time.Parse(time.RFC3339, made.ExpiresAt); err != nil || ends.After(r.server.now().Add(time.Hour)) {
			t.Errorf("it outlives its maker: %s, %v", made.ExpiresAt, err)
		}
		if err := r.store.Tenants().Revoke(t.Context(), "acme", maker, r.server.now().Add(time.Hour), record.Actor{}); err != nil {
			t.Fatal(err)
		}
		if ids := r.keysSeenBy("admin"); len(ids) != 0 {
			t.Errorf("the key of a revoked maker is listed as good: %v", ids)
		}
		r.pass(5 * time.Second)
		if status := r.statusOf("made"); status != http.StatusUnauthorized {
			t.Errorf("five seconds after its maker was revoked: %d", status)
		}

		r.keyOf("admin", "late", `{"name":"k","deployments":[1],"actions":["ReportRead"],"days":365}`)
		r.pass(2 * time.Hour)
		if status := r.statusOf("late"); status != http.StatusUnauthorized {
			t.Errorf("after its maker has expired: %d", status)
		}
		r.tokens["admin"] = r.token(t, auth.Caller{Tenant: "acme", Actor: record.Actor{ID: 9, Actions: []string{"All"}}})
		if ids := r.keysSeenBy("admin"); len(ids) != 0 {
			t.Errorf("an expired key is listed as good: %v", ids)
		}
		r.keyOf("admin", "now", readingKey)
		r.pass(-30 * time.Minute)
		if status := r.statusOf("late"); status != http.StatusUnauthorized {
			t.Errorf("with the clock set back to after its end: %d", status)
		}
		if status := r.statusOf("now"); status != http.StatusOK {
			t.Errorf("a good key: %d", status)
		}
		other, err := auth.NewKeyring("mooring", []auth.TokenKey{{ID: "other", Algorithm: "HS256", Secret: secret}})
		if err != nil {
			t.Fatal(err)
		}
		r.server.Reload(Rules{Keys: other})
		if status := r.statusOf("now"); status != http.StatusUnauthorized {
			t.Errorf("after the key that signed it was taken away: %d", status)
		}
	})
}

// Who was vouched for by a provider has a session of its own, and signing out ends what was made in it.
func TestAKeyEndsWithASessionOfAProvider(t *testing.T) {
	onSession(t, func(t *testing.T, r *sessionRig) {
		who := auth.Vouched(auth.Caller{Tenant: "acme", Issuer: "https://idp.example.com", Subject: "s", Actor: record.Actor{ID: record.FirstUser + 1, Actions: []string{"ReportRead"}}}, r.server.now())
		cookie, err := r.server.gate.Sessions().Begin(t.Context(), who)
		if err != nil {
			t.Fatal(err)
		}
		r.cookies["mooring"], r.csrf = cookie, who.CSRF
		made := r.madeInConsole(readingKey)
		r.tokens["made"] = made.Token
		if status := r.statusOf("made"); made.status != http.StatusCreated || status != http.StatusOK {
			t.Fatalf("%d %s, then %d", made.status, made.text, status)
		}
		r.wants("signs out", 200, "DELETE", "/api/v1/session", "")
		r.pass(5 * time.Second)
		if status := r.statusOf("made"); status != http.StatusUnauthorized {
			t.Errorf("after signing out: %d", status)
		}
	})
}

// One ends one's own keys, and who manages the account everybody's; a key ends itself, and no other.
func TestEndingAKey(t *testing.T) {
	eachSession(t, func(t *testing.T, r *sessionRig) {
		r.tokens["admin2"] = r.token(t, auth.Caller{Tenant: "acme", Actor: record.Actor{ID: 19, Actions: []string{"All"}}, Deployments: []int64{1}})
		first, second := r.keyOf("admin", "first", readingKey), r.keyOf("admin2", "second", readingKey)
		third := r.keyOf("admin2", "third", readingKey)
		for _, tt := range []struct {
			as   string
			sees []string
		}{
			{"admin", []string{third.ID, second.ID, first.ID}},
			{"admin2", []string{third.ID, second.ID}},
			{"first", []string{first.ID}},
			{"editor", nil},
			{"foreign", nil},
			{"only2", nil},
		} {
			got := r.keysSeenBy(tt.as)
			slices.Sort(got)
			slices.Sort(tt.sees)
			if !slices.Equal(got, tt.sees) {
				t.Errorf("%s sees %v, want %v", tt.as, got, tt.sees)
			}
		}
		end := func(as, id string, status int) {
			t.Helper()
			if w := r.send(step{method: "DELETE", path: "/api/v1/keys/" + id, as: as}); w.Code != status {
				t.Errorf("%s ends %s: %d, want %d: %s", as, id, w.Code, status, w.Body)
			}
		}
		end("foreign", first.ID, 404)
		end("editor", first.ID, 404)
		end("admin2", first.ID, 404)
		end("second", third.ID, 404)
		end("second", second.ID, 200)
		end("admin2", third.ID, 200)
		end("admin2", third.ID, 404)
		end("admin", "K3WDVJTQ5M7A4XRN6YBZC2HLPE", 404)
		r.pass(5 * time.Second)
		for name, want := range map[string]int{"first": 200, "second": 401, "third": 401} {
			if got := r.statusOf(name); got != want {
				t.Errorf("%s: %d, want %d", name, got, want)
			}
		}
		r.run(t, []step{
			{name: "one revokes it by its id, too", method: "POST", path: "/api/v1/revocations", as: "admin", body: `{"jti":"` + first.ID + `"}`, status: 200},
			{name: "and it is in the list no longer", method: "GET", path: "/api/v1/keys", as: "admin", status: 200, holds: `{"items":[]}`},
			{name: "the audit has it", method: "GET", path: "/api/v1/audit", as: "admin", status: 200, says: []string{`"key.revoke"`, first.ID, third.ID}},
		})
	})
}

func TestHowManyKeys(t *testing.T) {
	onSession(t, func(t *testing.T, r *sessionRig) {
		for n := range 10 {
			if made := r.makes("admin", readingKey); made.status != http.StatusCreated {
				t.Fatalf("key %d: %d %s", n, made.status, made.text)
			}
		}
		if made := r.makes("admin", readingKey); made.status != http.StatusTooManyRequests {
			t.Errorf("the eleventh of a minute: %d %s", made.status, made.text)
		}
		of := func(c auth.Caller, n int) {
			for i := range n {
				k := &record.Key{ID: fmt.Sprintf("%026d", i), Owner: c.Identity(), Expires: r.server.now().Add(time.Hour)}
				if err := r.store.Tenants().AddKey(t.Context(), "acme", k, c.Actor); err != nil {
					t.Fatal(err)
				}
			}
		}
		many := auth.Caller{Tenant: "acme", Issuer: "mooring", Actor: record.Actor{ID: 77, Actions: []string{"All"}}}
		r.tokens["many"] = r.token(t, many)
		of(many, auth.MostKeys-1)
		r.keyOf("many", "last", readingKey)
		if made := r.makes("many", readingKey); made.status != http.StatusConflict || !strings.Contains(made.text, "key_limit") {
			t.Errorf("one too many: %d %s", made.status, made.text)
		}
	})
}

// A service that only verifies says what to do instead.
func TestAServiceThatSignsNothing(t *testing.T) {
	private, public := edKeyPair(t)
	signer, err := auth.NewKeyring("mooring", []auth.TokenKey{{ID: "ed", Algorithm: "EdDSA", PrivateKey: private}})
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := auth.NewKeyring("mooring", []auth.TokenKey{{ID: "ed", Algorithm: "EdDSA", PublicKey: public}})
	if err != nil {
		t.Fatal(err)
	}
	a := onEmbedded(t)
	a.server.Reload(Rules{Keys: verifier})
	a.tokens["admin"], _, err = signer.Sign(auth.Caller{Tenant: "acme", Actor: record.Actor{ID: 9, Actions: []string{"All"}}}, time.Now(), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	a.run(t, []step{
		{name: "409", method: "POST", path: "/api/v1/keys", as: "admin", body: readingKey, status: 409, holds: `{"code":"no_signing_key"}`, says: []string{"mooring key create"}},
		{name: "nothing was made", method: "GET", path: "/api/v1/keys", as: "admin", status: 200, holds: `{"items":[]}`},
	})
}

// onSession runs test on the embedded storage.
func onSession(t *testing.T, test func(t *testing.T, r *sessionRig)) {
	t.Helper()
	test(t, newSessionRig(t, onEmbedded(t)))
}

// edKeyPair is a key for EdDSA, as PEM.
func edKeyPair(t *testing.T) (private, public []byte) {
	t.Helper()
	p, k, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	secretPart, err := x509.MarshalPKCS8PrivateKey(k)
	if err != nil {
		t.Fatal(err)
	}
	publicPart, err := x509.MarshalPKIXPublicKey(p)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secretPart}), pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: publicPart})
}
