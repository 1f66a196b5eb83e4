//go:build unix

package attack

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"mooring/storage/record"
	"mooring/storage/record/recordtest"
	"mooring/web/webtest"
)

const manages = record.MayManage

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// people makes the tokens of everybody of the table.
func (s *site) people() {
	s.t.Helper()
	s.narrows = s.keyCreates("--user", "1", "--only", record.ActionReportRead, "--action", record.ActionReportRead) != ""
	for _, p := range slices.Concat(recordtest.People(), recordtest.Makers()) {
		switch {
		case p.Device:
		case p.ID == 0:
			s.tokens[p.Name] = sign(map[string]any{"actions": p.Actions})
		default:
			s.tokens[p.Name] = s.key(p)
		}
	}
	for _, p := range recordtest.People() {
		if p.Device {
			s.tokens[p.Name], _ = s.pair(p.Actions)
		}
	}
	_, s.in.Device = s.pair(nil)
	s.newKey()
}

// newKey has the administrator make the key that is ended next. A program that makes none has none that could be.
func (s *site) newKey() {
	if id, err := webtest.NewKey(s.sendAs); err == nil {
		s.in.Key = id
	} else {
		s.in.Key = "none"
	}
}

// sendAs is a webtest.Send.
func (s *site) sendAs(as string, q webtest.Request) (int, string) {
	got := s.send(as, q.Method, q.Path, q.Body)
	return got.status, got.text
}

// key makes a person's token with the command. A program that makes no narrow keys makes the narrowest that it can.
func (s *site) key(p recordtest.Person) string {
	s.t.Helper()
	args := []string{"--user", itoa(p.ID)}
	for _, r := range p.Roles {
		args = append(args, "--role", itoa(r))
	}
	for _, d := range p.Deployments {
		args = append(args, "--deployment", itoa(d))
	}
	for _, a := range p.Actions {
		args = append(args, "--action", a)
	}
	for _, a := range p.Bound {
		if s.narrows {
			args = append(args, "--only", a)
		}
	}
	if len(p.Actions) == 0 {
		args = append(args, "--no-actions")
	}
	token := s.keyCreates(args...)
	if token == "" {
		s.t.Fatalf("no key for %+v", p)
	}
	return token
}

// keyCreates makes a token; empty if the command does not take the flags.
func (s *site) keyCreates(flags ...string) string {
	s.t.Helper()
	args := append([]string{"key", "create", "--config", filepath.Join(s.dir, "mooring.yaml"), "--tenant", "acme"}, flags...)
	status, stdout, _ := command(s.t, s.dir, nil, args...)
	if status != 0 {
		return ""
	}
	return strings.TrimSpace(stdout)
}

// sign is a token of the service's key with these claims, such as a key from before claims were there has.
func sign(claims map[string]any) string {
	now := time.Now().Unix()
	for name, value := range map[string]any{"iss": "mooring", "tenant": "acme", "iat": now, "exp": now + 7200, "jti": fmt.Sprintf("ATTACK%020d", now)} {
		if _, said := claims[name]; !said {
			claims[name] = value
		}
	}
	part := func(v any) string {
		text, _ := json.Marshal(v)
		return base64.RawURLEncoding.EncodeToString(text)
	}
	text := part(map[string]string{"alg": "HS256", "kid": "main", "typ": "JWT"}) + "." + part(claims)
	mac := hmac.New(sha256.New, []byte(signingSecret))
	mac.Write([]byte(text))
	return text + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// pair approves a device of the owner for these actions in deployment 1, and returns its token and its id.
func (s *site) pair(actions []string) (token, id string) {
	s.t.Helper()
	codes := s.must("", "POST", "/api/v1/device/code", `{"client_name":"attack"}`)
	grant, _ := json.Marshal(map[string]any{"deployments": []int64{recordtest.Deployment}, "actions": append([]string{}, actions...)})
	until(s.t, "a code is approved, of which so many may be looked at in a minute", func() bool {
		return s.send(recordtest.Owner+" at work", "POST", "/api/v1/device/"+codes.get("user_code")+"/approve", string(grant)).ok()
	})
	issued := s.must("", "POST", "/api/v1/device/token",
		`{"grant_type":"urn:ietf:params:oauth:grant-type:device_code","device_code":"`+codes.get("device_code")+`"}`)
	s.tokens["a device"] = issued.get("access_token")
	return s.tokens["a device"], s.must("a device", "GET", "/api/v1/me", "").get("deviceId")
}

// hear starts what webhooks are sent to, and returns its address.
func (s *site) hear() string {
	s.t.Helper()
	listener := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(s.hooks, "%v %s\n", r.Header, body)
	}))
	s.t.Cleanup(listener.Close)
	return listener.URL
}
