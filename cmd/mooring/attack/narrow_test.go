//go:build unix

package attack

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"mooring/storage/record/recordtest"
)

// narrowsOfOwner are the names of the tokens that the owner has had made for some purpose only.
func narrowsOfOwner() (names []string) {
	for _, p := range recordtest.People() {
		if p.ID == recordtest.UserOf(recordtest.Owner) && p.Bound != nil {
			names = append(names, p.Name)
		}
	}
	return names
}

// attackOwner has the owner's narrow tokens try what only a token of the owner's own may: to decide on devices, and to keep the owner out.
func (a *attacker) attackOwner() {
	a.decideOnDevices()
	a.crowdOut()
}

// decideOnDevices approves and denies a device that waits, as each narrow token, until none of the looks is left that a person has.
func (a *attacker) decideOnDevices() {
	const grant = `{"deployments":[1],"actions":[]}`
	codes := a.must("", "POST", "/api/v1/device/code", `{"client_name":"attack"}`)
	path := "/api/v1/device/" + codes.get("user_code")
	for _, name := range narrowsOfOwner() {
		for range 10 {
			for _, request := range []string{"GET " + path, "POST " + path + "/approve " + grant, "POST " + path + "/deny"} {
				method, rest, _ := strings.Cut(request, " ")
				at, body, _ := strings.Cut(rest, " ")
				fault := ""
				if got := a.send(name, method, at, body); got.status != http.StatusForbidden {
					fault = fmt.Sprintf("%s: %s: %d %.300s", name, request, got.status, got.text)
				}
				a.try(numberNarrow, "narrow tokens decide on devices", fault)
			}
		}
	}
	a.mustBeDone("the owner approves a device after that", a.send(recordtest.Owner, "POST", path+"/approve", grant))
}

// crowdOut signs in as each narrow token until it is refused, which is more often together than a person has sessions.
func (a *attacker) crowdOut() {
	own := a.signIn(recordtest.Owner)
	a.mustBeDone("the owner signs in", own)
	for _, name := range narrowsOfOwner() {
		for range 51 {
			if got := a.signIn(name); !got.ok() {
				break
			}
		}
		fault := ""
		if status := a.sessionStatus(own); status != http.StatusOK {
			fault = fmt.Sprintf("%s has ended the owner's session: %d", name, status)
		}
		a.try(numberNarrow, "narrow tokens end sessions of their person", fault)
		a.mustBeDone("the owner signs in after "+name, a.signIn(recordtest.Owner))
	}
}

// mustBeDone counts what the owner is kept from.
func (a *attacker) mustBeDone(what string, got answer) {
	a.t.Helper()
	fault := ""
	if !got.ok() {
		fault = fmt.Sprintf("%s: %d %.300s", what, got.status, got.text)
	}
	a.try(numberNarrow, "narrow tokens keep their person from something", fault)
}

// signIn begins a session with a person's token.
func (a *attacker) signIn(name string) answer {
	a.t.Helper()
	body, err := json.Marshal(map[string]string{"token": a.tokens[name]})
	if err != nil {
		a.t.Fatal(err)
	}
	return a.send("", "POST", "/api/v1/session", string(body))
}

// sessionStatus asks with the cookie of a sign-in who is signed in.
func (a *attacker) sessionStatus(signedIn answer) int {
	a.t.Helper()
	req, err := http.NewRequestWithContext(a.t.Context(), "GET", a.server.base+"/api/v1/me", nil)
	if err != nil {
		a.t.Fatal(err)
	}
	cookie, _, _ := strings.Cut(signedIn.header.Get("Set-Cookie"), ";")
	req.Header.Set("Cookie", cookie)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		a.t.Fatal(err)
	}
	resp.Body.Close()
	return resp.StatusCode
}
