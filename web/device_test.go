package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mooring/storage/record"
	"mooring/web/auth"
)

// oauthAnswer is what either endpoint of devices answers.
type oauthAnswer struct {
	status int
	header http.Header

	Error           string `json:"error"`
	Description     string `json:"error_description"`
	DeviceCode      string `json:"device_code"`
	UserCode        string `json:"user_code"`
	VerificationURI string `json:"verification_uri"`
	Complete        string `json:"verification_uri_complete"`
	AccessToken     string `json:"access_token"`
	RefreshToken    string `json:"refresh_token"`
	TokenType       string `json:"token_type"`
	ExpiresIn       int    `json:"expires_in"`
	Interval        int    `json:"interval"`
}

// pairingRig is a server whose time the test sets.
type pairingRig struct {
	*api
	t   *testing.T
	mu  sync.Mutex
	now time.Time
}

func newPairingRig(t *testing.T, a *api) *pairingRig {
	r := &pairingRig{api: a, t: t, now: time.Now()}
	a.server.now = func() time.Time {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.now
	}
	a.tokens["nobody"] = ""
	return r
}

// pass lets time pass. Storage has its own clock, which expires keys.
func (r *pairingRig) pass(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now = r.now.Add(d)
}

// device sends a form to an endpoint of devices.
func (r *pairingRig) device(path string, pairs ...string) oauthAnswer {
	r.t.Helper()
	form := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		form.Add(pairs[i], pairs[i+1])
	}
	w := r.send(step{
		method: "POST", path: "/api/v1/device/" + path, as: "nobody", body: form.Encode(), header: map[string]string{"Content-Type": "application/x-www-form-urlencoded"},
	})
	return oauthAnswerOf(r.t, w)
}

func oauthAnswerOf(t *testing.T, w *httptest.ResponseRecorder) oauthAnswer {
	t.Helper()
	answer := oauthAnswer{status: w.Code, header: w.Header()}
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	if w.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("an answer that may be cached: %v", w.Header())
	}
	return answer
}

func (r *pairingRig) codes() oauthAnswer {
	r.t.Helper()
	codes := r.device("code", "client_name", "Task pane")
	if codes.status != http.StatusOK {
		r.t.Fatalf("no codes: %+v", codes)
	}
	return codes
}

// grantDevice is the grant_type of a device that polls.
const grantDevice = "urn:ietf:params:oauth:grant-type:device_code"

func (r *pairingRig) poll(deviceCode string) oauthAnswer {
	r.t.Helper()
	return r.device("token", "grant_type", grantDevice, "device_code", deviceCode)
}

func (r *pairingRig) renew(refresh string) oauthAnswer {
	r.t.Helper()
	return r.device("token", "grant_type", "refresh_token", "refresh_token", refresh)
}

// decide approves or denies a code and returns the status.
func (r *pairingRig) decide(verb, userCode, as, body string) int {
	r.t.Helper()
	if verb == "deny" {
		body = ""
	}
	return r.send(step{method: "POST", path: "/api/v1/device/" + userCode + "/" + verb, as: as, body: body}).Code
}

const edits = `{"deployments":[1],"actions":["ReportEdit"]}`

// paired is a device that was approved by a caller and has collected its tokens.
func (r *pairingRig) paired(as, grant string) oauthAnswer {
	r.t.Helper()
	codes := r.codes()
	if status := r.decide("approve", codes.UserCode, as, grant); status != http.StatusOK {
		r.t.Fatalf("approve: %d", status)
	}
	tokens := r.poll(codes.DeviceCode)
	if tokens.status != http.StatusOK {
		r.t.Fatalf("collect: %+v", tokens)
	}
	return tokens
}

// asks sends a request with a token.
func (r *pairingRig) asks(token, method, path string) *httptest.ResponseRecorder {
	r.tokens["device"] = token
	return r.send(step{method: method, path: path, as: "device"})
}

func eachPaired(t *testing.T, test func(t *testing.T, r *pairingRig)) {
	t.Helper()
	each(t, func(t *testing.T, a *api) { test(t, newPairingRig(t, a)) })
}

func TestPairing(t *testing.T) {
	eachPaired(t, func(t *testing.T, r *pairingRig) {
		codes := r.codes()
		if codes.Interval != 5 || codes.ExpiresIn != 600 || codes.Complete != codes.VerificationURI+"?user_code="+codes.UserCode {
			t.Errorf("%+v", codes)
		}
		if first := r.poll(codes.DeviceCode); first.status != http.StatusBadRequest || first.Error != "authorization_pending" {
			t.Errorf("a first poll: %+v", first)
		}
		typed := strings.ToLower(strings.ReplaceAll(codes.UserCode, "-", ""))
		r.run(t, []step{
			{
				name: "a person sees which device shows the code", method: "GET", path: "/api/v1/device/" + typed, as: "editor", status: 200,
				holds: `{"userCode":"` + codes.UserCode + `","state":"pending","clientName":"Task pane","address":"192.0.2.1"}`,
			},
			{name: "without a token nobody does", method: "GET", path: "/api/v1/device/" + typed, as: "nobody", status: 401},
			{
				name: "and approves it", method: "POST", path: "/api/v1/device/" + typed + "/approve", as: "editor", body: edits, status: 200,
				holds: `{"state":"approved"}`,
			},
			{name: "a code is good once", method: "POST", path: "/api/v1/device/" + typed + "/approve", as: "editor", body: edits, status: 404},
			{name: "also for a denial", method: "POST", path: "/api/v1/device/" + typed + "/deny", as: "editor", status: 404},
			{name: "or a look", method: "GET", path: "/api/v1/device/" + typed, as: "editor", status: 404},
		})
		tokens := r.poll(codes.DeviceCode)
		if tokens.status != http.StatusOK || tokens.TokenType != "Bearer" || tokens.ExpiresIn > 3600 || tokens.ExpiresIn < 3500 {
			t.Fatalf("%+v", tokens) // the editor's own token has an hour
		}
		if again := r.poll(codes.DeviceCode); again.Error != "invalid_grant" {
			t.Errorf("a second collection: %+v", again)
		}
		var who struct {
			User struct {
				ID    int64
				Email string
			}
			Deployments []struct{ ID int64 }
			Actions     []string
			DeviceID    string
		}
		w := r.asks(tokens.AccessToken, "GET", "/api/v1/me")
		if err := json.Unmarshal(w.Body.Bytes(), &who); err != nil || who.User.ID != 1 || who.User.Email != "ed@acme.example" ||
			len(who.Deployments) != 1 || !slices.Equal(who.Actions, []string{"ReportEdit"}) || who.DeviceID == "" {
			t.Errorf("%v, %s", err, w.Body)
		}
		if w := r.asks(tokens.AccessToken, "GET", "/api/v1/deployments/2/reports"); w.Code != http.StatusForbidden {
			t.Errorf("another deployment: %d", w.Code)
		}
		if w := r.asks(tokens.RefreshToken, "GET", "/api/v1/me"); w.Code != http.StatusUnauthorized {
			t.Errorf("a refresh token as an access token: %d", w.Code)
		}
		if got := r.renew(tokens.AccessToken); got.Error != "invalid_grant" {
			t.Errorf("an access token as a refresh token: %+v", got)
		}
	})
}

func TestADeviceThatIsDeniedOrLate(t *testing.T) {
	eachPaired(t, func(t *testing.T, r *pairingRig) {
		denied := r.codes()
		if status := r.decide("deny", denied.UserCode, "viewer", ""); status != http.StatusOK {
			t.Fatalf("deny: %d", status)
		}
		if got := r.poll(denied.DeviceCode); got.Error != "access_denied" {
			t.Errorf("denied: %+v", got)
		}
		late, approved := r.codes(), r.codes()
		if status := r.decide("approve", approved.UserCode, "editor", edits); status != http.StatusOK {
			t.Fatalf("approve: %d", status)
		}
		r.pass(10*time.Minute + time.Second)
		for _, codes := range []oauthAnswer{late, approved} {
			if got := r.poll(codes.DeviceCode); got.Error != "expired_token" {
				t.Errorf("expired: %+v", got)
			}
		}
		if status := r.decide("approve", late.UserCode, "editor", edits); status != http.StatusNotFound {
			t.Errorf("approving an expired code: %d", status)
		}
	})
}

func TestADeviceThatPollsTooOften(t *testing.T) {
	eachPaired(t, func(t *testing.T, r *pairingRig) {
		codes := r.codes()
		for i, want := range []struct {
			after time.Duration
			error string
		}{
			{0, "authorization_pending"},
			{time.Second, "slow_down"},     // from now on 10 s
			{5 * time.Second, "slow_down"}, // 15 s
			{15 * time.Second, "authorization_pending"},
			{14500 * time.Millisecond, "authorization_pending"},
		} {
			r.pass(want.after)
			if got := r.poll(codes.DeviceCode); got.status != http.StatusBadRequest || got.Error != want.error {
				t.Errorf("poll %d: %+v, want %s", i, got, want.error)
			}
		}
	})
}

func TestWhatAnApproverMayGrant(t *testing.T) {
	eachPaired(t, func(t *testing.T, r *pairingRig) {
		codes := r.codes()
		path := "/api/v1/device/" + codes.UserCode + "/approve"
		approve := func(name, as, body string, status int) step {
			return step{name: name, method: "POST", path: path, as: as, body: body, status: status}
		}
		r.run(t, []step{
			approve("no deployment is none", "admin", `{"deployments":[],"actions":[]}`, 400),
			approve("all deployments are named", "admin", `{"actions":["All"]}`, 400),
			approve("actions are named", "admin", `{"deployments":[1]}`, 400),
			approve("null is nothing", "admin", `{"deployments":null,"actions":null}`, 400),
			approve("a deployment that is no number", "admin", `{"deployments":["1"],"actions":[]}`, 400),
			approve("more than one's own actions", "viewer", `{"deployments":[1],"actions":["ReportEdit"]}`, 403),
			approve("All is more", "manager", `{"deployments":[1],"actions":["All"]}`, 403),
			approve("an action of others", "manager", `{"deployments":[1],"actions":["Opaque"]}`, 403),
			approve("another deployment", "only2", `{"deployments":[1],"actions":["All"]}`, 403),
			approve("what is implied", "manager", `{"deployments":[1,2],"actions":["ReportRead","WorkbookEdit"]}`, 200),
		})
		tokens := r.paired("role7", `{"deployments":[1],"actions":[]}`)
		caller, err := r.keys.Verify(tokens.AccessToken, r.server.now())
		if err != nil || !slices.Equal(caller.Roles, []int64{7}) || caller.Actions != nil || !slices.Equal(caller.Deployments, []int64{1}) {
			t.Errorf("roles are the approver's: %+v, %v", caller, err)
		}
	})
}

func TestADeviceApprovesNoDevice(t *testing.T) {
	eachPaired(t, func(t *testing.T, r *pairingRig) {
		r.tokens["device"] = r.paired("admin", `{"deployments":[1],"actions":["All"]}`).AccessToken
		codes := r.codes()
		path := "/api/v1/device/" + codes.UserCode
		r.run(t, []step{
			{name: "it sees none", method: "GET", path: path, as: "device", status: 403},
			{name: "it approves none", method: "POST", path: path + "/approve", as: "device", body: edits, status: 403},
			{name: "it denies none", method: "POST", path: path + "/deny", as: "device", status: 403},
			{name: "which a person still can", method: "POST", path: path + "/approve", as: "editor", body: edits, status: 200},
		})
	})
}

// Whatever race there is, one poll gets the tokens, and one decision holds.
func TestRacesOfPairing(t *testing.T) {
	eachPaired(t, func(t *testing.T, r *pairingRig) {
		codes := r.codes()
		var mu sync.Mutex
		got := map[int]int{}
		at := func(n int, do func(i int) int) {
			clear(got)
			var all sync.WaitGroup
			for i := range n {
				all.Go(func() {
					status := do(i)
					mu.Lock()
					defer mu.Unlock()
					got[status]++
				})
			}
			all.Wait()
		}
		at(8, func(i int) int { return r.decide([]string{"approve", "deny"}[i%2], codes.UserCode, "admin", edits) })
		if got[http.StatusOK] != 1 || got[http.StatusNotFound] != 7 {
			t.Errorf("decisions: %v", got)
		}
		codes = r.codes()
		if status := r.decide("approve", codes.UserCode, "editor", edits); status != http.StatusOK {
			t.Fatal(status)
		}
		at(8, func(int) int { return r.poll(codes.DeviceCode).status })
		if got[http.StatusOK] != 1 || got[http.StatusBadRequest] != 7 {
			t.Errorf("collections: %v", got)
		}
	})
}

func TestRefreshTokensRotate(t *testing.T) {
	eachPaired(t, func(t *testing.T, r *pairingRig) {
		first := r.paired("editor", edits)
		second := r.renew(first.RefreshToken)
		if second.status != http.StatusOK || second.RefreshToken == first.RefreshToken || second.AccessToken == first.AccessToken {
			t.Fatalf("%+v", second)
		}
		r.pass(29 * time.Second)
		if again := r.renew(first.RefreshToken); again.status != http.StatusOK || again.RefreshToken != second.RefreshToken {
			t.Errorf("the token just replaced has another successor: %+v", again)
		}
		third := r.renew(second.RefreshToken)
		if third.status != http.StatusOK {
			t.Fatalf("%+v", third)
		}
		r.pass(time.Second)
		if stolen := r.renew(first.RefreshToken); stolen.Error != "invalid_grant" {
			t.Fatalf("an older one: %+v", stolen)
		}
		if after := r.renew(third.RefreshToken); after.Error != "invalid_grant" {
			t.Errorf("after the reuse of an older one the device is not signed out: %+v", after)
		}
		r.pass(5 * time.Second)
		for _, tokens := range []oauthAnswer{first, second, third} {
			if w := r.asks(tokens.AccessToken, "GET", "/api/v1/me"); w.Code != http.StatusUnauthorized {
				t.Errorf("an access token after that: %d", w.Code)
			}
		}
	})
}

func TestTheTokenReplacedLastIsGoodForAWhile(t *testing.T) {
	eachPaired(t, func(t *testing.T, r *pairingRig) {
		first := r.paired("editor", edits)
		second := r.renew(first.RefreshToken)
		r.pass(31 * time.Second)
		if late := r.renew(first.RefreshToken); late.Error != "invalid_grant" {
			t.Errorf("%+v", late)
		}
		if after := r.renew(second.RefreshToken); after.Error != "invalid_grant" {
			t.Errorf("%+v", after)
		}
	})
}

// Two commands of one device that renew at once both go on.
func TestRenewingAtOnce(t *testing.T) {
	eachPaired(t, func(t *testing.T, r *pairingRig) {
		first := r.paired("editor", edits)
		var all sync.WaitGroup
		answers := make([]oauthAnswer, 8)
		for i := range answers {
			all.Go(func() { answers[i] = r.renew(first.RefreshToken) })
		}
		all.Wait()
		for _, answer := range answers {
			if answer.status != http.StatusOK || answer.RefreshToken != answers[0].RefreshToken {
				t.Errorf("%+v", answer)
			}
		}
	})
}

// A forged refresh token neither gets anything nor signs the device out.
func TestForgedRefreshTokens(t *testing.T) {
	eachPaired(t, func(t *testing.T, r *pairingRig) {
		good := r.paired("editor", edits)
		other, err := auth.NewKeyring("mooring", []auth.TokenKey{{ID: "main", Algorithm: "HS256", Secret: []byte("another HS256 secret of 32 bytes.")}})
		if err != nil {
			t.Fatal(err)
		}
		real, err := r.keys.VerifyRefresh(good.RefreshToken, r.server.now())
		if err != nil {
			t.Fatal(err)
		}
		forged, err := other.SignRefresh(auth.RefreshToken{Tenant: real.Tenant, Device: real.Device, Generation: 1, Expires: real.Expires.Add(time.Hour)})
		if err != nil {
			t.Fatal(err)
		}
		for _, token := range []string{forged, "x", real.Device, strings.Repeat("a", 4096), good.RefreshToken + "x"} {
			if got := r.renew(token); got.Error != "invalid_grant" {
				t.Errorf("%.40s: %+v", token, got)
			}
		}
		if got := r.renew(good.RefreshToken); got.status != http.StatusOK {
			t.Errorf("%+v", got)
		}
	})
}

func TestADeviceEndsWithWhoApprovedIt(t *testing.T) {
	eachPaired(t, func(t *testing.T, r *pairingRig) {
		tokens, waits := r.paired("editor", edits), r.codes()
		if status := r.decide("approve", waits.UserCode, "editor", edits); status != http.StatusOK {
			t.Fatal(status)
		}
		approver, err := r.keys.Verify(r.tokens["editor"], r.server.now())
		if err != nil {
			t.Fatal(err)
		}
		if err := r.store.Tenants().Revoke(t.Context(), "acme", approver.TokenID, approver.Expires, record.Actor{}); err != nil {
			t.Fatal(err)
		}
		r.pass(5 * time.Second)
		if w := r.asks(tokens.AccessToken, "GET", "/api/v1/me"); w.Code != http.StatusUnauthorized {
			t.Errorf("its access token: %d", w.Code)
		}
		if got := r.renew(tokens.RefreshToken); got.Error != "invalid_grant" {
			t.Errorf("its refresh token: %+v", got)
		}
		if got := r.poll(waits.DeviceCode); got.Error != "access_denied" {
			t.Errorf("one that was approved before: %+v", got)
		}
	})
}

func TestADevicesTokensEndNoLaterThanTheApprovers(t *testing.T) {
	eachPaired(t, func(t *testing.T, r *pairingRig) {
		token, _, err := r.keys.Sign(auth.Caller{Tenant: "acme", Subject: "1", Actor: record.Actor{ID: 1, Actions: []string{"All"}}}, r.server.now(), 365*24*time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		r.tokens["year"] = token
		tokens := r.paired("year", edits)
		if tokens.ExpiresIn != 8*3600 {
			t.Errorf("an access token lives %d s", tokens.ExpiresIn)
		}
		refresh, err := r.keys.VerifyRefresh(tokens.RefreshToken, r.server.now())
		if err != nil || refresh.Expires.Sub(r.server.now()).Round(time.Minute) != 90*24*time.Hour {
			t.Errorf("the device ends %v, %v", refresh.Expires, err)
		}
		r.pass(8*time.Hour + time.Second)
		if w := r.asks(tokens.AccessToken, "GET", "/api/v1/me"); w.Code != http.StatusUnauthorized {
			t.Errorf("after 8 hours: %d", w.Code)
		}
		tokens = r.renew(tokens.RefreshToken)
		r.pass(90*24*time.Hour - 8*time.Hour)
		if got := r.renew(tokens.RefreshToken); got.Error != "invalid_grant" {
			t.Errorf("after 90 days: %+v", got)
		}
	})
}

func TestDevicesOfACaller(t *testing.T) {
	eachPaired(t, func(t *testing.T, r *pairingRig) {
		first, second := r.paired("editor", edits), r.paired("editor", edits)
		r.paired("viewer", `{"deployments":[2],"actions":[]}`)
		var page struct {
			Items    []struct{ ID, ClientName string }
			PageInfo struct {
				HasNextPage bool
				EndCursor   string
			}
		}
		list := func(query string) {
			t.Helper()
			page.Items = nil
			w := r.send(step{method: "GET", path: "/api/v1/devices" + query, as: "editor"})
			if err := json.Unmarshal(w.Body.Bytes(), &page); err != nil || w.Code != http.StatusOK {
				t.Fatalf("%d %s", w.Code, w.Body)
			}
		}
		list("")
		if len(page.Items) != 2 || page.Items[0].ClientName != "Task pane" || page.PageInfo.HasNextPage {
			t.Fatalf("%+v", page)
		}
		ids := []string{page.Items[0].ID, page.Items[1].ID}
		list("?first=1")
		list("?first=1&after=" + page.PageInfo.EndCursor)
		if len(page.Items) != 1 || page.Items[0].ID != ids[1] {
			t.Errorf("%+v of %v", page, ids)
		}
		own, err := r.keys.Verify(first.AccessToken, r.server.now())
		if err != nil {
			t.Fatal(err)
		}
		r.run(t, []step{
			{name: "an unknown cursor", method: "GET", path: "/api/v1/devices?after=x", status: 400},
			{name: "another's device", method: "DELETE", path: "/api/v1/devices/" + own.Device, as: "viewer", status: 404},
			{name: "another tenant's", method: "DELETE", path: "/api/v1/devices/" + own.Device, as: "foreign", status: 404},
			{name: "one's own", method: "DELETE", path: "/api/v1/devices/" + own.Device, status: 200, holds: `{"id":"` + own.Device + `"}`},
			{name: "once", method: "DELETE", path: "/api/v1/devices/" + own.Device, status: 404},
		})
		r.pass(5 * time.Second)
		if w := r.asks(first.AccessToken, "GET", "/api/v1/me"); w.Code != http.StatusUnauthorized {
			t.Errorf("its access token: %d", w.Code)
		}
		if w := r.asks(second.AccessToken, "GET", "/api/v1/me"); w.Code != http.StatusOK {
			t.Errorf("that of another device: %d", w.Code)
		}
		itself, err := r.keys.Verify(second.AccessToken, r.server.now())
		if err != nil {
			t.Fatal(err)
		}
		if w := r.asks(second.AccessToken, "DELETE", "/api/v1/devices/"+itself.Device); w.Code != http.StatusOK {
			t.Errorf("a device that signs itself out: %d", w.Code)
		}
		if list(""); len(page.Items) != 0 {
			t.Errorf("%+v", page)
		}
	})
}

func TestCodesAreLimited(t *testing.T) {
	eachPaired(t, func(t *testing.T, r *pairingRig) {
		seen := map[string]bool{}
		for range 10 {
			seen[r.codes().UserCode] = true
		}
		if len(seen) != 10 {
			t.Errorf("codes %v", seen)
		}
		for code := range seen {
			if len(code) != 9 || code[4] != '-' || strings.Trim(code, "BCDFGHJKLMNPQRSTVWXZ-") != "" {
				t.Errorf("code %s", code)
			}
		}
		if got := r.device("code"); got.status != http.StatusBadRequest || got.Error != "slow_down" || got.header.Get("Retry-After") == "" {
			t.Errorf("an eleventh: %+v", got)
		}
	})
}

func TestGuessingCodes(t *testing.T) {
	eachPaired(t, func(t *testing.T, r *pairingRig) {
		codes := r.codes()
		for i := range 10 {
			guess := fmt.Sprintf("BCDF-GHJ%c", "BCDFGHJKLM"[i])
			if w := r.send(step{method: "GET", path: "/api/v1/device/" + guess}); w.Code != http.StatusNotFound {
				t.Errorf("%s: %d", guess, w.Code)
			}
		}
		for _, verb := range []string{"approve", "deny"} {
			if status := r.decide(verb, codes.UserCode, "editor", edits); status != http.StatusTooManyRequests {
				t.Errorf("%s after ten guesses: %d", verb, status)
			}
		}
		for _, guess := range []string{"x", "AEIO-UAEI", "BCDF-GHJK-L", "%00", strings.Repeat("B", 5000)} {
			if w := r.send(step{method: "GET", path: "/api/v1/device/" + guess, as: "viewer"}); w.Code != http.StatusNotFound {
				t.Errorf("%.20s: %d", guess, w.Code)
			}
		}
	})
}

// The links that a device shows lead to this service, whatever Host the device, or who sits before it, sends.
func TestVerificationAddresses(t *testing.T) {
	for _, tt := range []struct{ name, public, host, local, want string }{
		{"publicURL comes first", "https://mooring.example.com/m", "acme.example.com", "127.0.0.1:8080", "https://mooring.example.com/m"},
		{"a tenant's host behind a proxy", "", "acme.example.com", "10.0.0.1:8080", "https://acme.example.com"},
		{"a tenant's host in other letters", "", "ACME.example.com.", "10.0.0.1:8080", "https://acme.example.com"},
		{"a tenant's host at another port is a proxy's", "", "acme.example.com:444", "10.0.0.1:8080", "https://acme.example.com"},
		{"a tenant's host without a proxy", "", "acme.example.com:8080", "10.0.0.1:8080", "http://acme.example.com:8080"},
		{"a host that somebody made up", "", "evil.example.com", "127.0.0.1:8080", "http://127.0.0.1:8080"},
		{"an address", "", "192.0.2.7:8080", "192.0.2.7:8080", "http://127.0.0.1:8080"},
		{"a host that ends like a tenant's", "", "evil-acme.example.com", "127.0.0.1:8080", "http://127.0.0.1:8080"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := onEmbedded(t, func(c *Config) { c.PublicURL = tt.public })
			local, err := net.ResolveTCPAddr("tcp", tt.local)
			if err != nil {
				t.Fatal(err)
			}
			r := httptest.NewRequest(http.MethodPost, "/api/v1/device/code", nil)
			r.Host = tt.host
			r.Header.Set("X-Forwarded-Host", "evil.example.com")
			w := httptest.NewRecorder()
			a.sut.ServeHTTP(w, r.WithContext(withLocalAddr(r, local)))
			if got := oauthAnswerOf(t, w); got.VerificationURI != tt.want+"/console/device" {
				t.Errorf("%s, want %s", got.VerificationURI, tt.want)
			}
		})
	}
}

// A code that was asked for at the host name of a tenant is none to another tenant's users.
func TestCodesOfAHostName(t *testing.T) {
	eachPaired(t, func(t *testing.T, r *pairingRig) {
		w := r.send(step{method: "POST", path: "/api/v1/device/code", as: "nobody", header: map[string]string{"Host": "acme.example.com"}})
		codes := oauthAnswerOf(t, w)
		if status := r.decide("approve", codes.UserCode, "foreign", edits); status != http.StatusNotFound {
			t.Errorf("another tenant's user: %d", status)
		}
		if status := r.decide("approve", codes.UserCode, "editor", edits); status != http.StatusOK {
			t.Errorf("the tenant's user: %d", status)
		}
	})
}

func TestBodiesOfDevices(t *testing.T) {
	a := onEmbedded(t)
	const form, plain = "application/x-www-form-urlencoded", "application/json"
	for _, tt := range []struct{ name, path, kind, body, want string }{
		{"no body asks for a code", "code", "", "", ""},
		{"JSON does", "code", plain, `{"client_name":"Sidebar"}`, ""},
		{"unknown members are ignored", "code", plain, `{"client_id":"x","scope":"y","z":1}`, ""},
		{"an empty form does", "code", form, "", ""},
		{"a name that is no UTF-8", "code", form, "client_name=%ff", "invalid_request"},
		{"a name of markup is text", "code", form, "client_name=%3Cscript%3E", ""},
		{"a name twice", "code", form, "client_name=a&client_name=b", "invalid_request"},
		{"a broken form", "code", form, "client_name=%zz", "invalid_request"},
		{"a huge form", "code", form, "client_name=a&x=" + strings.Repeat("a", 8<<10), "invalid_request"},
		{"huge JSON", "code", plain, `{"x":"` + strings.Repeat("a", 8<<10) + `"}`, "invalid_request"},
		{"another kind", "code", "text/plain", "client_name=a", "invalid_request"},
		{"no grant", "token", form, "", "invalid_request"},
		{"no body for tokens", "token", "", "", "invalid_request"},
		{"another grant", "token", form, "grant_type=password&username=a", "unsupported_grant_type"},
		{"a grant without its code", "token", form, "grant_type=refresh_token&device_code=a", "invalid_request"},
		{"a code that is none", "token", form, "grant_type=" + url.QueryEscape(grantDevice) + "&device_code=x", "invalid_grant"},
		{"a code that is no text", "token", plain, `{"grant_type":"refresh_token","refresh_token":{"a":1}}`, "invalid_request"},
		{"a member twice", "token", plain, `{"grant_type":"a","grant_type":"b"}`, "invalid_request"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodPost, "/api/v1/device/"+tt.path, strings.NewReader(tt.body))
			r.RemoteAddr = fmt.Sprintf("[2001:db8:%x::1]:1", len(tt.name)*1000+len(tt.body)%1000)
			if tt.kind != "" {
				r.Header.Set("Content-Type", tt.kind)
			}
			w := httptest.NewRecorder()
			a.sut.ServeHTTP(w, r)
			got, want := oauthAnswerOf(t, w), http.StatusOK
			if tt.want != "" {
				want = http.StatusBadRequest
			}
			if got.status != want || got.Error != tt.want || (tt.want != "") != (got.Description != "") {
				t.Errorf("%d %s", w.Code, w.Body)
			}
		})
	}
}

// An address is limited by where its connection is from; what a header says counts from a trusted proxy alone.
func TestAddressesOfDevices(t *testing.T) {
	a := onEmbedded(t, func(c *Config) { c.TrustedProxies = []string{"10.0.0.0/8"} })
	code := func(remote, forwarded string) int {
		r := httptest.NewRequest(http.MethodPost, "/api/v1/device/code", nil)
		r.RemoteAddr = remote
		if forwarded != "" {
			r.Header.Set("X-Forwarded-For", forwarded)
			r.Header.Set("X-Real-Ip", forwarded)
		}
		w := httptest.NewRecorder()
		a.sut.ServeHTTP(w, r)
		return w.Code
	}
	for name, tt := range map[string]struct {
		remote, forwarded func(i int) string
		last              int
	}{
		"a made up header":              {func(int) string { return "192.0.2.1:1" }, func(i int) string { return fmt.Sprintf("192.0.2.%d", 50+i) }, 400},
		"clients of a trusted proxy":    {func(int) string { return "10.0.0.1:1" }, func(i int) string { return fmt.Sprintf("192.0.2.%d", 100+i) }, 200},
		"one client of a trusted proxy": {func(int) string { return "10.0.0.2:1" }, func(i int) string { return fmt.Sprintf("1.1.1.%d, 192.0.2.90", i) }, 400},
		"one network of IPv6":           {func(i int) string { return fmt.Sprintf("[2001:db8::%x]:1", i) }, func(int) string { return "" }, 400},
	} {
		t.Run(name, func(t *testing.T) {
			last := 0
			for i := range 11 {
				last = code(tt.remote(i), tt.forwarded(i))
			}
			if last != tt.last {
				t.Errorf("the eleventh code: %d, want %d", last, tt.last)
			}
		})
	}
}

// withLocalAddr is the context of a request that came to that address, as a server makes it.
func withLocalAddr(r *http.Request, local net.Addr) context.Context {
	return context.WithValue(r.Context(), http.LocalAddrContextKey, local)
}
