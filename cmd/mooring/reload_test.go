package main

import (
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"mooring/cmd/mooring/process"
	"mooring/refresh/signing"
	"mooring/storage/storagetest"
)

// reloads writes the configuration file anew, asks the process to read it, and waits until it says mark once more.
func (p *program) reloads(config, text, mark string) {
	p.t.Helper()
	before := strings.Count(p.out.String(), mark)
	writeFile(p.t, config, text)
	if err := p.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		p.t.Fatal(err)
	}
	for deadline := time.Now().Add(patience); strings.Count(p.out.String(), mark) == before; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			p.t.Fatalf("no more %q in\n%s", mark, p.out)
		}
	}
}

const reloaded = `msg="configuration reloaded"`

// status is that of a request with a token, for the reports of a deployment.
func (s *site) status(token string) int {
	s.t.Helper()
	s.client.token = token
	status, _ := s.send(http.MethodGet, "/api/v1/deployments/1/reports", "")
	return status
}

// siteWith is the configuration of a site with other signing keys: main, second or both.
func (s *site) siteWith(keys ...string) string {
	entries := map[string]string{
		"main":   `{id: main, algorithm: HS256, secret: "0123456789abcdef0123456789abcdef"}`,
		"second": `{id: second, algorithm: HS256, secret: "another secret of at least 32 bytes"}`,
	}
	var list []string
	for _, key := range keys {
		list = append(list, entries[key])
	}
	return strings.ReplaceAll(strings.Replace(siteConfig, entries["main"], strings.Join(list, ", "), 1), "${REDIS}", s.redis)
}

// A key is replaced as the operating page says, while requests come all the time: none fails, and what the removed key has signed ends.
func TestAKeyIsReplacedWhileRequestsCome(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	first := s.client.token
	s.server.reloads(s.config, s.siteWith("main", "second"), reloaded)
	s.server.reloads(s.config, s.siteWith("second", "main"), reloaded)
	second := s.token()

	var asked, stop atomic.Int64
	var clients sync.WaitGroup
	for range 4 {
		clients.Go(func() {
			for stop.Load() == 0 {
				r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, s.client.base+"/api/v1/deployments/1/reports", http.NoBody)
				r.Header.Set("Authorization", "Bearer "+second)
				answer, err := http.DefaultClient.Do(r)
				if err != nil {
					t.Error(err)
					return
				}
				answer.Body.Close()
				if asked.Add(1); answer.StatusCode != http.StatusOK {
					t.Errorf("status %d", answer.StatusCode)
				}
			}
		})
	}
	for range 20 {
		s.server.reloads(s.config, s.siteWith("second", "main"), reloaded)
		if status := s.status(first); status != http.StatusOK {
			t.Errorf("the key before is still there: %d", status)
		}
		s.server.reloads(s.config, s.siteWith("second"), reloaded)
		if status := s.status(first); status != http.StatusUnauthorized {
			t.Errorf("a token of the key that was removed: %d", status)
		}
	}
	stop.Store(1)
	clients.Wait()
	t.Logf("%d requests during 40 reloads", asked.Load())
	if asked.Load() < 40 {
		t.Errorf("only %d requests", asked.Load())
	}
	ends(t, s.server)
}

func TestABadFileIsNotReloaded(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	token := s.client.token
	const refused = "the configuration was not reloaded"
	for fault, text := range map[string]string{
		"mooring.yaml:12:1: unknown key": s.siteWith("second") + "partition: 4\n",
		"has no signing key":             s.siteWith(),
		"mooring.yaml:4:63: privateKeyFile": strings.Replace(
			s.siteWith("main"), `HS256, secret: "0123456789abcdef0123456789abcdef"`, "EdDSA, privateKeyFile: gone.pem", 1,
		),
	} {
		s.server.reloads(s.config, text, refused)
		if status := s.status(token); status != http.StatusOK {
			t.Errorf("%s: the keys before are not in force: %d", fault, status)
		}
		if !strings.Contains(s.server.out.String(), fault) {
			t.Errorf("no %q in\n%s", fault, s.server.out)
		}
	}
	changed := strings.NewReplacer("127.0.0.1:0", "127.0.0.1:1", "shop.db", "other.db").Replace(s.siteWith("second")) + "partitions: 4\n"
	s.server.reloads(s.config, changed, reloaded)
	const warning = `level=WARN msg="listen, partitions, tenants.acme.deployments.1.source: a change takes effect at the next start"`
	if !strings.Contains(s.server.out.String(), warning) {
		t.Errorf("no warning of what was not taken over in\n%s", s.server.out)
	}
	if status := s.status(token); status != http.StatusUnauthorized {
		t.Errorf("the good file is not in force: %d", status)
	}
}

// A reload that changes a rate takes effect at once.
func TestARateIsReloaded(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.server.reloads(s.config, s.siteWith("main")+"limits: {requestsPerMinute: 1}\n", reloaded)
	if first, then := s.status(s.client.token), s.status(s.client.token); first != http.StatusOK || then != http.StatusTooManyRequests {
		t.Errorf("%d, then %d", first, then)
	}
}

// tells sends a request that a secret has signed to the hook loads, and returns the status of the answer.
func (s *site) tells(secret, id string) int {
	s.t.Helper()
	const body = `{"type": "loaded"}`
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.client.base+"/api/v1/hooks/loads", strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	at := fmt.Sprint(time.Now().Unix())
	r.Header.Set(signing.HeaderID, id)
	r.Header.Set(signing.HeaderTimestamp, at)
	r.Header.Set(signing.HeaderSignature, signing.Signature([]byte(secret), id, at, []byte(body)))
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	answer.Body.Close()
	return answer.StatusCode
}

// A hook is added, its secret is changed while its sender still has the one before, and it is removed.
func TestHooksAreReloaded(t *testing.T) {
	t.Parallel()
	const first, second = "the first secret of a hook", "the second secret of a hook"
	s := newSite(t)
	for n, tt := range []struct {
		hooks string
		want  [2]int // of what either secret has signed
	}{
		{"", [2]int{401, 401}},
		{fmt.Sprintf("hooks: [{id: loads, tenant: acme, deployment: 1, schedule: daily, secret: %q}]\n", first), [2]int{202, 401}},
		{
			fmt.Sprintf("hooks: [{id: loads, tenant: acme, deployment: 1, schedule: daily, secret: %q, previousSecret: %q}]\n", second, first),
			[2]int{202, 202},
		},
		{fmt.Sprintf("hooks: [{id: loads, tenant: acme, deployment: 1, schedule: daily, secret: %q}]\n", second), [2]int{401, 202}},
		{"", [2]int{401, 401}},
	} {
		s.server.reloads(s.config, s.siteWith("main")+tt.hooks, reloaded)
		for i, secret := range []string{first, second} {
			if got := s.tells(secret, fmt.Sprintf("m%d-%d", n, i)); got != tt.want[i] {
				t.Errorf("%q: what %q has signed is answered %d, want %d", tt.hooks, secret, got, tt.want[i])
			}
		}
	}
	if out := s.server.out.String(); strings.Contains(out, first) || strings.Contains(out, second) || strings.Contains(out, "at the next start") {
		t.Errorf("the log has a secret, or says that hooks wait\n%s", out)
	}
}

// A token that key create signs by the file is good as soon as the file was reloaded.
func TestTheNameOfTheIssuerIsReloaded(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	before := s.client.token
	s.server.reloads(s.config, strings.Replace(s.siteWith("main"), "{keys", "{issuer: us, keys", 1), reloaded)
	if status := s.status(s.token()); status != http.StatusOK {
		t.Errorf("a token of the new name: %d", status)
	}
	if status := s.status(before); status != http.StatusUnauthorized {
		t.Errorf("a token of the name before: %d", status)
	}
	if out := s.server.out.String(); strings.Contains(out, "takes effect at the next start") {
		t.Errorf("it is in force, and the log says\n%s", out)
	}
}

// A reload changes how much the log of the whole process holds, and not how its lines are written.
func TestALogLevelIsReloaded(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	const probe, request = "level=DEBUG msg=request", "level=INFO msg=request"
	counts := func(mark string) int { return strings.Count(s.server.out.String(), mark) }
	ask := func() {
		answers(t, s.client.base+"/healthz", "ok")
		s.status(s.client.token)
	}
	ask()
	s.server.reloads(s.config, s.siteWith("main")+"log: {level: debug, format: json}\n", reloaded)
	if counts(probe) != 0 || counts(request) != 1 {
		t.Errorf("at the level info\n%s", s.server.out)
	}
	s.server.waitFor(`level=WARN msg="log.format: a change takes effect at the next start"`)
	ask()
	s.server.reloads(s.config, s.siteWith("main")+"log: {level: error}\n", reloaded)
	if counts(probe) != 1 || counts(request) != 2 {
		t.Errorf("at the level debug\n%s", s.server.out)
	}
	s.server.reloads(s.config, s.siteWith("main")+"log: {level: loud}\n", "expected debug, info, warn or error")
	ask()
	s.server.reloads(s.config, s.siteWith("main"), reloaded)
	if counts(probe) != 1 || counts(request) != 2 {
		t.Errorf("at the level error\n%s", s.server.out)
	}
	ends(t, s.server)
}

func TestAnAgentReloads(t *testing.T) {
	t.Parallel()
	dir, redis := t.TempDir(), storagetest.Redis(t)
	config := filepath.Join(dir, "mooring.yaml")
	text := "redis: " + redis + "\ntenants: {acme: {deployments: {1: {}}}}\n" // an agent needs no keys
	writeFile(t, config, text)
	agent := start(t, "agent", "--config", config, "--listen", "127.0.0.1:0")
	operations := regexp.MustCompile(`address=(\S+)`).FindStringSubmatch(agent.waitFor("msg=operations"))[1]
	agent.waitFor("agent at work")
	agent.reloads(config, text+"partitions: 3\n", "partitions: a change takes effect at the next start")
	agent.reloads(config, "tenants: 1\n", "the configuration was not reloaded")
	agent.reloads(config, text+"log: {level: debug}\n", reloaded)
	answers(t, "http://"+operations+"/healthz", "ok")
	agent.waitFor("route=/healthz")
	agent.reloads(config, text, reloaded)
	ends(t, agent)
}

// keyOfIssuer is the key of the issuer ci.
var keyOfIssuer = ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))

// tokenOfIssuer is a token of the issuer ci, which is good for an hour.
func tokenOfIssuer(jti string) string {
	part := base64.RawURLEncoding.EncodeToString
	text := part([]byte(`{"alg":"EdDSA","kid":"k"}`)) + "." + part(fmt.Appendf(nil,
		`{"iss":"ci","aud":"mooring","sub":"build","jti":%q,"exp":%d,"actions":["ReportRead"]}`, jti, time.Now().Add(time.Hour).Unix()))
	return text + "." + part(ed25519.Sign(keyOfIssuer, []byte(text)))
}

// An issuer that is away holds up neither a start nor a reload, and check names it.
func TestAnIssuerOfTheConfiguration(t *testing.T) {
	t.Parallel()
	var away atomic.Bool
	issuer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if away.Load() {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		x := base64.RawURLEncoding.EncodeToString(keyOfIssuer.Public().(ed25519.PublicKey))
		fmt.Fprintf(w, `{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"k","x":%q}]}`, x)
	}))
	defer issuer.Close()
	s := newSite(t)
	jwks := fmt.Sprintf("], jwks: [{url: %q, issuer: ci, audience: mooring, tenant: acme, actions: [ReportRead]}]}", issuer.URL)
	text := strings.Replace(s.siteWith("main"), "]}", jwks, 1)
	config := filepath.Join(s.dir, "check.yaml")
	writeFile(t, config, strings.Replace(text, "      2: {source: {kind: sqlite, path: gone.db}}\n", "", 1))
	if status, stdout, stderr := mooring(t, "check", "--config", config); status != process.ExitDone || !strings.Contains(stdout, "ok      keys of the issuer ci\n") {
		t.Errorf("status %d, %s\n%s", status, stderr, stdout)
	}
	if status, _, stderr := mooring(t, "key", "revoke", "--config", config, tokenOfIssuer("b.jti/2")); status != process.ExitDone {
		t.Errorf("status %d, %s", status, stderr)
	}
	_, list, _ := mooring(t, "key", "list", "--config", config)
	if !regexp.MustCompile(`(?m)^acme +b\.jti/2 +\d\S+Z  ci$`).MatchString(list) {
		t.Errorf("a token of the issuer was revoked:\n%s", list)
	}
	away.Store(true)
	if status, stdout, _ := mooring(t, "check", "--config", config); status != process.ExitFailed || !strings.Contains(stdout, "FAILED  keys of the issuer ci: ") {
		t.Errorf("status %d\n%s", status, stdout)
	}
	const warning = "an issuer does not answer with its keys"
	s.server.reloads(s.config, text, warning)
	if status := s.status(s.client.token); status != http.StatusOK {
		t.Errorf("our own token: %d", status)
	}
	status, _, stderr := mooring(t, "key", "revoke", "--config", s.config, "a.jti/1")
	if _, list, _ := mooring(t, "key", "list", "--config", s.config); status != process.ExitDone || !strings.Contains(list, "a.jti/1") {
		t.Errorf("revoked by its jti: status %d, %s\n%s", status, stderr, list)
	}
	server := start(t, "serve", "--config", s.config)
	server.waitFor(warning)
	server.waitFor("msg=serving")
}
