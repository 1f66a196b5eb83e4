package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"io"
	"maps"
	"math/big"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"mooring/cmd/mooring/programtest"
	"mooring/refresh/source/sqlite"
	"mooring/storage/storagetest"
)

// ourHost is the name of the service in the set-ups of README.md.
const ourHost = "mooring.example.com"

// world is services at their real names, to which programs come by a proxy.
type world struct {
	t        *testing.T
	services map[string]http.Handler // by the names of their hosts
	proxy    *httptest.Server
	roots    *x509.CertPool
	trusted  string // the file of the certificate that all of them show
}

func newWorld(t *testing.T, services map[string]http.Handler) *world {
	t.Helper()
	w := &world{t: t, services: services, roots: x509.NewCertPool(), trusted: filepath.Join(t.TempDir(), "world.pem")}
	all := httptest.NewUnstartedServer(w)
	all.TLS = &tls.Config{Certificates: []tls.Certificate{w.certificate()}}
	all.StartTLS()
	w.proxy = httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) { w.tunnel(out, r, all.Listener.Addr().String()) }))
	t.Cleanup(func() {
		w.proxy.CloseClientConnections()
		w.proxy.Close()
		all.CloseClientConnections()
		all.Close()
	})
	return w
}

// certificate is one for all hosts, which w.trusted and w.roots have, too.
func (w *world) certificate() tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		w.t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "world"}, DNSNames: slices.Collect(maps.Keys(w.services)), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		w.t.Fatal(err)
	}
	shown := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	w.roots.AppendCertsFromPEM(shown)
	writeFile(w.t, w.trusted, string(shown))
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

func (w *world) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	if service := w.services[r.Host]; service != nil {
		service.ServeHTTP(out, r)
		return
	}
	w.t.Errorf("%s is asked, which is nobody's", r.Host)
	http.NotFound(out, r)
}

// tunnel leads a client of the proxy to the services.
func (w *world) tunnel(out http.ResponseWriter, r *http.Request, to string) {
	if host, _, _ := net.SplitHostPort(r.Host); r.Method != http.MethodConnect || w.services[host] == nil {
		w.t.Errorf("the proxy is asked for %s %s", r.Method, r.Host)
		http.Error(out, "no such host", http.StatusBadGateway)
		return
	}
	service, err := (&net.Dialer{}).DialContext(r.Context(), "tcp", to)
	if err != nil {
		http.Error(out, err.Error(), http.StatusBadGateway)
		return
	}
	defer service.Close()
	client, _, err := http.NewResponseController(out).Hijack()
	if err != nil {
		w.t.Error(err)
		return
	}
	defer client.Close()
	_, _ = io.WriteString(client, "HTTP/1.1 200 Connection established\r\n\r\n")
	go func() {
		_, _ = io.Copy(service, client)
		service.Close()
	}()
	_, _ = io.Copy(client, service) // until either ends
}

// environment is that of a program that lives in the world.
func (w *world) environment(home string) []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(strings.ToUpper(v), "=")
		return strings.HasSuffix(name, "_PROXY") || strings.HasPrefix(name, "MOORING_")
	})
	return append(env, "HTTPS_PROXY="+w.proxy.URL, "SSL_CERT_FILE="+w.trusted, "CURL_CA_BUNDLE="+w.trusted, "HOME="+home, "PATH="+home+":"+os.Getenv("PATH"))
}

// browser is a client that lives in the world.
func (w *world) browser() *http.Client {
	jar, _ := cookiejar.New(nil) // without options nothing can be wrong with them
	proxy, err := url.Parse(w.proxy.URL)
	if err != nil {
		w.t.Fatal(err)
	}
	return &http.Client{Jar: jar, Transport: &http.Transport{Proxy: http.ProxyURL(proxy), TLSClientConfig: &tls.Config{RootCAs: w.roots}}}
}

// ledTo leads to a server on this machine.
func ledTo(t *testing.T, address string) http.Handler {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return httputil.NewSingleHostReverseProxy(u)
}

// setup is a section of README.md whose commands are typed.
type setup struct {
	*world
	dir, address string
	section      string
	commands     string
	promised     []string // lines that the commands are to print
	out          *programtest.Output
	ended        chan struct{}
}

// newSetup reads a section and types nothing yet. The commands find what filled has in the place of the values that the section leaves open.
func newSetup(t *testing.T, heading string, services map[string]http.Handler, filled map[string]string) *setup {
	t.Helper()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n### "+heading+"\n")
	section, _, _ = strings.Cut(section, "\n##")
	s := &setup{section: section, dir: t.TempDir(), address: storagetest.FreeAddr(t), out: programtest.NewOutput(), ended: make(chan struct{})}
	services[ourHost] = ledTo(t, "http://"+s.address)
	s.world = newWorld(t, services)
	for _, block := range regexp.MustCompile("(?s)```(sh|console)\n(.*?)```").FindAllStringSubmatch(section, -1) {
		code := regexp.MustCompile(`(?m)^   `).ReplaceAllString(block[2], "")
		if block[1] == "sh" {
			s.commands += code
		} else {
			s.promised = append(s.promised, strings.Split(strings.TrimSpace(code), "\n")...)
		}
	}
	filled["127.0.0.1:8080"], filled["redis://127.0.0.1:6379"] = s.address, storagetest.Redis(t)
	for open, value := range filled {
		if !strings.Contains(s.commands, open) {
			t.Errorf("README.md, %s: nothing is left open as %q:\n%s", heading, open, s.commands)
		}
		s.commands = strings.ReplaceAll(s.commands, open, value)
	}
	return s
}

// names returns what the section has people enter elsewhere.
func (s *setup) names(form string) string {
	s.t.Helper()
	found := regexp.MustCompile(form).FindStringSubmatch(s.section)
	if found == nil {
		s.t.Fatalf("README.md has no %s:\n%s", form, s.section)
	}
	return found[1]
}

// types runs the commands beside a source and what clicks have made, and leaves running what they leave.
func (s *setup) types(clicked map[string][]byte) {
	s.t.Helper()
	for name, content := range clicked {
		if err := os.WriteFile(filepath.Join(s.dir, name), content, 0o644); err != nil { // as browsers do
			s.t.Fatal(err)
		}
	}
	err := sqlite.Exec(s.t.Context(), filepath.Join(s.dir, "orders.db"), []string{"CREATE TABLE orders (id, customer)", "INSERT INTO orders VALUES (1, 'Ana')"}, nil)
	if err == nil {
		err = os.Symlink(build(s.t), filepath.Join(s.dir, "mooring"))
	}
	if err != nil {
		s.t.Fatal(err)
	}
	s.runs()
}

// runs has a shell run the commands.
func (s *setup) runs() {
	s.t.Helper()
	cmd := exec.Command("bash", "-euc", s.commands+"\necho all is typed\nwait\n")
	cmd.Dir, cmd.Env, cmd.SysProcAttr = s.dir, s.environment(s.dir), &syscall.SysProcAttr{Setpgid: true}
	cmd.Stdout, cmd.Stderr = s.out, s.out
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	go func() {
		defer close(s.ended)
		_ = cmd.Wait() // what it printed says why
	}()
	s.t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // the server that the commands left running, too
		<-s.ended
	})
}

// prints waits until the commands have printed a line.
func (s *setup) prints(mark string) {
	s.t.Helper()
	if _, ok := s.out.Line(mark, s.ended); !ok {
		s.t.Fatalf("no line with %q in\n%s", mark, s.out)
	}
}

// signsIn lets a person sign in by an issuer, and returns the page to which that leads with what they may do there, and their number.
func (s *setup) signsIn(issuer string) (said string, user int64) {
	s.t.Helper()
	client := s.browser()
	get := func(path string, into any) *url.URL {
		answer, err := client.Get("https://" + ourHost + path)
		if err != nil {
			s.t.Fatal(err)
		}
		defer answer.Body.Close()
		if into != nil {
			err = json.NewDecoder(answer.Body).Decode(into)
		}
		if err != nil {
			s.t.Fatalf("%s: %v", path, err)
		}
		return answer.Request.URL
	}
	for ready := false; !ready; {
		var session struct{ Issuers []struct{ Issuer string } }
		get("/api/v1/session", &session)
		ready = len(session.Issuers) > 0
	}
	page := get("/console/signin?"+url.Values{"issuer": {issuer}}.Encode(), nil)
	var who struct {
		User    struct{ ID int64 }
		Actions []string
	}
	get("/api/v1/me", &who)
	return page.RequestURI() + " " + strings.Join(who.Actions, " "), who.User.ID
}
