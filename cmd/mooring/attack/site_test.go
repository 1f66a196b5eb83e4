//go:build unix

package attack

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/xuri/excelize/v2"

	"mooring/cmd/mooring/programtest"
	"mooring/refresh/source/sourcetest"
	"mooring/storage/record/recordtest"
	"mooring/storage/storagetest"
	"mooring/web/webtest"
)

const signingSecret = "0123456789abcdef0123456789abcdef"

// Of deployment 1 PostgreSQL has row security, and a list says where it may place, on one host; of the others, on the other host, neither is so.
const configuration = `
listen: 127.0.0.1:0
redis: ${REDIS}
signing: {keys: [{id: main, algorithm: HS256, secret: "0123456789abcdef0123456789abcdef"}]}
hooks: [{id: loaded, tenant: acme, deployment: 2, schedule: loaded, secret: "secret of the hook of the attack", kind: standard}]
limits: {schedulesPerUser: 0, schedulesPerTenant: 0}
tenants:
  acme:
    deployments:
      1: {source: {kind: postgres, url: "${PG}", rowSecurity: true}, webhooks: [{url: "${HOOKS}", secret: "secret of the webhooks of the attack"}]}
      2: {source: {kind: postgres, url: "${PG}"}}
      3: {source: {kind: postgres, url: "${PG}"}}
    spreadsheets:
      SHEETS_A: {kind: xlsx, dir: sheets}
      SHEETS_B: {kind: xlsx, dir: sheets, documents: {1: ["*.xlsx"]}}
`

// Everybody sees their own sales, and the boss sees all; the stock is everybody's.
const database = `
CREATE ROLE reader LOGIN PASSWORD 'read-only';
CREATE TABLE sales (seller bigint, item text);
ALTER TABLE sales ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON sales USING (seller = nullif(current_setting('mooring.uid', true), '')::bigint
  OR '9' = ANY (string_to_array(current_setting('mooring.roles', true), ',')));
CREATE TABLE stock (item text, amount bigint);
INSERT INTO stock VALUES ('anchor', 1), ('buoy', 2), ('chain', 3);
GRANT SELECT ON sales, stock TO reader;
`

// site is a server under attack, with everything around it.
type site struct {
	t       *testing.T
	dir     string
	pg      *sourcetest.Postgres
	redis   string
	server  *server
	hooks   *programtest.Output // what the webhooks were sent
	routes  map[string]webtest.Route
	tokens  map[string]string // by person
	in      webtest.Account
	narrows bool // the program makes narrow keys
	worlds  int

	mu      sync.Mutex
	secrets []secret
	leaked  []string // what answers have shown to whom it is none of theirs, since this was asked last
}

// secret is a text that nobody can guess, and who may know it.
type secret struct {
	text, what string
	knows      func(person string) bool
}

// newSecret makes one, in small letters: databases fold names.
func (s *site) newSecret(what string, knows func(person string) bool) string {
	text := "s" + strings.ToLower(rand.Text())
	s.mu.Lock()
	defer s.mu.Unlock()
	s.secrets = append(s.secrets, secret{text, what, knows})
	return text
}

// leaks names the secrets in a text that the person, or nobody by the name "", may not know.
func (s *site) leaks(person, text string) (found []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.secrets {
		if strings.Contains(text, one.text) && !one.knows(person) {
			found = append(found, one.what)
		}
	}
	return found
}

func nobody(string) bool { return false }

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{t: t, dir: t.TempDir(), pg: sourcetest.StartPostgres(t), hooks: programtest.NewOutput(), tokens: map[string]string{}}
	s.pg.Exec(t, database)
	for _, p := range recordtest.People() {
		if p.ID != 0 && p.Bound == nil {
			s.pg.Exec(t, "INSERT INTO sales VALUES ("+itoa(p.ID)+", '"+s.newSecret("a row of "+p.Name, s.seesRowsOf(p))+"')")
		}
	}
	text, err := os.ReadFile("../../../web/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	if s.routes, err = webtest.Routes(text); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(s.dir, "sheets"), 0o755); err != nil {
		t.Fatal(err)
	}
	s.redis = storagetest.Redis(t)
	fill := strings.NewReplacer("${REDIS}", s.redis, "${PG}", s.pg.URL("reader", "read-only", "postgres"), "${HOOKS}", s.hear())
	s.write("mooring.yaml", fill.Replace(configuration))
	s.server = serve(t, filepath.Join(s.dir, "mooring.yaml"))
	s.people()
	return s
}

// seesRowsOf reports of people whether they may see rows of one of them: the same user, the boss, and who may manage the reports.
func (s *site) seesRowsOf(of recordtest.Person) func(string) bool {
	return func(person string) bool {
		for _, p := range append(recordtest.People(), recordtest.Makers()...) {
			if p.Name == person {
				return p.ID == of.ID || slices.Contains(p.Roles, recordtest.Bosses) || max(p.Level(recordtest.Report), p.Level(recordtest.Hidden)) >= manages
			}
		}
		return false
	}
}

func (s *site) write(name, text string) string {
	s.t.Helper()
	name = filepath.Join(s.dir, name)
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
	return name
}

func (s *site) sheet(name string) string { return filepath.Join(s.dir, "sheets", name) }

// workbook makes a workbook with these cells of its first sheet.
func (s *site) workbook(name string, cells map[string]string) {
	s.t.Helper()
	f := excelize.NewFile()
	defer f.Close()
	for cell, text := range cells {
		if err := f.SetCellStr("Sheet1", cell, text); err != nil {
			s.t.Fatal(err)
		}
	}
	if err := f.SaveAs(s.sheet(name)); err != nil {
		s.t.Fatal(err)
	}
}

// cells are those of a workbook's first sheet that are not empty.
func (s *site) cells(name string) map[string]string {
	s.t.Helper()
	f, err := excelize.OpenFile(s.sheet(name))
	if err != nil {
		s.t.Fatal(err)
	}
	defer f.Close()
	rows, err := f.GetRows("Sheet1")
	if err != nil {
		s.t.Fatal(err)
	}
	found := map[string]string{}
	for r, row := range rows {
		for c, text := range row {
			if text != "" {
				cell, _ := excelize.CoordinatesToCellName(c+1, r+1)
				found[cell] = text
			}
		}
	}
	return found
}

// answer is what came back.
type answer struct {
	status int
	code   string
	header http.Header
	text   string
}

func (a answer) ok() bool { return a.status < http.StatusMultipleChoices }

// get is a member of the answer as text, quotes aside.
func (a answer) get(member string) string {
	var object map[string]json.RawMessage
	_ = json.Unmarshal([]byte(a.text), &object) // no object has no members
	return strings.Trim(string(object[member]), `"`)
}

// send sends a request as a person, or without a token as "".
func (s *site) send(as, method, path, body string) answer {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.server.base+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	if as != "" {
		token, known := s.tokens[as]
		if !known {
			s.t.Fatalf("nobody is called %q", as)
		}
		req.Header.Set("Authorization", "Bearer "+token)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	a := answer{status: resp.StatusCode, header: resp.Header, text: string(text)}
	var fault struct{ Code string }
	_ = json.Unmarshal(text, &fault)
	a.code = fault.Code
	for _, leak := range s.leaks(as, a.text+fmt.Sprint(a.header)) {
		s.leaked = append(s.leaked, fmt.Sprintf("%s: %s %s %.200s shows %s", as, method, path, body, leak))
	}
	return a
}

// takeLeaks are the leaks since it was asked last.
func (s *site) takeLeaks() []string {
	leaked := s.leaked
	s.leaked = nil
	return leaked
}

// forget takes a secret out of what answers are searched for.
func (s *site) forget(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.secrets = slices.DeleteFunc(s.secrets, func(one secret) bool { return one.text == text })
}

// must is send of what is no attack, and has to be done.
func (s *site) must(as, method, path, body string) answer {
	s.t.Helper()
	a := s.send(as, method, path, body)
	if !a.ok() {
		s.t.Fatalf("%s: %s %s %s: %d %s", as, method, path, body, a.status, a.text)
	}
	return a
}
