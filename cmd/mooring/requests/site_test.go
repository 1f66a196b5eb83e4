//go:build unix

package requests

import (
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"
	_ "modernc.org/sqlite"

	"mooring/cmd/mooring/programtest"
	"mooring/storage/storagetest"
)

const (
	signingSecret = "0123456789abcdef0123456789abcdef"
	hookSecret    = "secret of the hook of the requests"
)

const configuration = `
listen: 127.0.0.1:0
redis: %s
publicURL: https://mooring.example.com
signing: {keys: [{id: main, algorithm: HS256, secret: "` + signingSecret + `"}]}
hooks: [{id: loaded, tenant: acme, deployment: 1, schedule: weekdays, secret: "` + hookSecret + `"}]
limits: {schedulesPerUser: 0, schedulesPerTenant: 0}
tenants:
  acme:
    deployments: {1: {source: {kind: sqlite, path: orders.db}}, 2: {source: {kind: sqlite, path: orders.db}}}
    spreadsheets: {SHEETS_B: {kind: xlsx, dir: sheets}}
  globex:
    hosts: [globex.example.com]
    deployments: {1: {source: {kind: sqlite, path: orders.db}}}
    spreadsheets: {SHEETS_B: {kind: xlsx, dir: sheets}}
`

// books are the documents in which reports are placed. The last is not there.
var books = []string{"orders.xlsx", "plan.xlsx", "sales/2026.xlsx", "orders.xlsx", "plan.xlsx", "none.xlsx"}

// site is the program with all that it works on.
type site struct {
	t      *testing.T
	dir    string
	config string
	redis  string // its address
	server *programtest.Process
	base   string
	people []person
}

// person is who sends requests.
type person struct {
	name   string
	tenant string
	token  string // empty: none
	often  int
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{t: t, dir: t.TempDir(), redis: storagetest.Redis(t)}
	db, err := sql.Open("sqlite", filepath.Join(s.dir, "orders.db"))
	must(t, err)
	_, err = db.Exec("CREATE TABLE orders (id, customer, amount); INSERT INTO orders VALUES (1, 'Ada', 100), (2, 'Ben', 200), (3, 'Cleo', 300)")
	must(t, err)
	must(t, db.Close())
	must(t, os.MkdirAll(filepath.Join(s.dir, "sheets", "sales"), 0o755))
	for _, name := range books[:3] {
		f := excelize.NewFile()
		must(t, f.SaveAs(filepath.Join(s.dir, "sheets", name)))
		must(t, f.Close())
	}
	s.config = filepath.Join(s.dir, "mooring.yaml")
	must(t, os.WriteFile(s.config, fmt.Appendf(nil, configuration, s.redis), 0o600))
	s.server, s.base = programtest.Serve(t, s.config)
	s.people = people()
	return s
}

// typeInto types a number into a cell of a document, as a person would.
func (s *site) typeInto(document, sheet, cell string) {
	s.t.Helper()
	f, err := excelize.OpenFile(filepath.Join(s.dir, "sheets", document))
	must(s.t, err)
	must(s.t, f.SetCellValue(sheet, cell, 777))
	must(s.t, f.Save())
	must(s.t, f.Close())
}

// people are an administrator of each tenant, who asks for most, and others who may less, or nothing.
func people() []person {
	hour := time.Now().Add(5 * time.Hour).Unix()
	claims := func(tenant string, user int, more map[string]any) string {
		all := map[string]any{"iss": "mooring", "tenant": tenant, "sub": fmt.Sprint(user), "uid": user, "iat": hour - 36_000, "exp": hour, "jti": fmt.Sprintf("REQUESTS%s%d", tenant, user)}
		for name, value := range more {
			all[name] = value
		}
		return sign(all, signingSecret)
	}
	all := map[string]any{"actions": []string{"All"}}
	return []person{
		{"an administrator", "acme", claims("acme", 1, all), 60},
		{"an editor", "acme", claims("acme", 2, map[string]any{"actions": []string{"ReportEdit", "WorkbookEdit"}}), 12},
		{"a reader", "acme", claims("acme", 3, map[string]any{"roles": []int{7}, "actions": []string{}}), 10},
		{"one of deployment 2", "acme", claims("acme", 4, map[string]any{"actions": []string{"All"}, "deployments": []int{2}}), 5},
		{"one whose token is bound", "acme", claims("acme", 5, map[string]any{"actions": []string{"All"}, "bound": []string{"ReportRead"}}), 3},
		{"an administrator of another tenant", "globex", claims("globex", 1, all), 12},
		{"a token without a user", "acme", sign(map[string]any{"iss": "mooring", "tenant": "acme", "actions": []string{"All"}, "exp": hour, "jti": "REQUESTSNOBODY"}, signingSecret), 2},
		{"an expired token", "acme", claims("acme", 1, map[string]any{"actions": []string{"All"}, "exp": hour - 36_000}), 1},
		{"a token of a tenant that is none", "acme", claims("initech", 1, all), 1},
		{"a token of another key", "acme", sign(map[string]any{"iss": "mooring", "tenant": "acme", "exp": hour}, strings.Repeat("x", 32)), 1},
		{"nobody", "acme", "", 4},
	}
}

// sign is a token with these claims.
func sign(claims map[string]any, secret string) string {
	part := func(v any) string {
		text, _ := json.Marshal(v) // of plain values
		return base64.RawURLEncoding.EncodeToString(text)
	}
	text := part(map[string]string{"alg": "HS256", "kid": "main", "typ": "JWT"}) + "." + part(claims)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(text))
	return text + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// someone is one of the people, as often as they ask.
func (s *site) someone(m maker) person {
	total := 0
	for _, p := range s.people {
		total += p.often
	}
	n := m.IntN(total)
	for _, p := range s.people {
		if n -= p.often; n < 0 {
			return p
		}
	}
	panic("the people have changed")
}
