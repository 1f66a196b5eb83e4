//go:build unix

package waiting

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"mooring/cmd/mooring/programtest"
	"mooring/placements"
	"mooring/refresh/source/sourcetest"
	"mooring/storage/storagetest"
)

const configuration = `
listen: 127.0.0.1:0
redis: %s
signing: {keys: [{id: main, algorithm: HS256, secret: "0123456789abcdef0123456789abcdef"}]}
tenants:
  acme:
    deployments: {1: {source: {kind: postgres, url: %q}}}
    spreadsheets: {SHEETS_B: {kind: xlsx, dir: sheets}}
`

// timeQuery returns the time at which it was queried.
const timeQuery = `SELECT 'queried' AS what, to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at`

// How many files the folder has, and how many of them are unavailable at times.
const (
	files       = 40
	unavailable = 8
)

// state is where a document is.
type state string

// The states.
const (
	reachable state = "reachable"
	movedAway state = "moved away"
	leftOpen  state = "left open"
	broken    state = "broken"
	addinOnly state = "reached by add-ins alone"
)

// book is a document in which the report is placed.
type book struct {
	name, placement string
	becomes         state // at times; reachable: always
	now             state
	since           string // shown of the wait that goes on
	asOf            time.Time
	content         []byte // of a broken one, as it was
}

// site is the program with the servers and files that it works on.
type site struct {
	t         *testing.T
	dir       string
	config    string
	base      string // address of the API
	api       *programtest.Process
	agents    []*programtest.Process
	rand      *rand.Rand
	owner     string // tokens
	reader    string
	report    string // path
	schedules string // path
	schedule  string // id
	books     []*book
}

func newSite(t *testing.T, seed uint64) *site {
	t.Helper()
	s := &site{t: t, dir: t.TempDir(), rand: rand.New(rand.NewPCG(seed, 0))}
	must(t, os.Mkdir(filepath.Join(s.dir, "sheets"), 0o755))
	pg := sourcetest.StartPostgres(t)
	pg.Exec(t, "CREATE ROLE reader LOGIN PASSWORD 'read-only'")
	s.config = filepath.Join(s.dir, "mooring.yaml")
	text := fmt.Sprintf(configuration, storagetest.Redis(t), pg.URL("reader", "read-only", "postgres"))
	must(t, os.WriteFile(s.config, []byte(text), 0o600))
	s.api, s.base = programtest.Serve(t, s.config, "--agent=false")
	for range 2 {
		s.addAgent()
	}
	s.owner, s.reader = s.key("--user", "1", "--deployment", "1", "--action", "All"), s.key("--user", "3", "--deployment", "1", "--role", "7", "--no-actions")
	s.makeReport()
	for i := range files {
		s.makeBook(i)
	}
	s.place(s.owner, "5d0c7d1e-8f41-4a55-9c7a-0f4f6d9b2a10", placements.SheetsB, addinOnly)
	s.place(s.reader, "a colleague's sheet", placements.SheetsA, addinOnly)
	return s
}

func (s *site) addAgent() {
	s.t.Helper()
	a := programtest.Start(s.t, "agent", "--config", s.config)
	a.WaitFor("agent at work")
	s.agents = append(s.agents, a)
}

func (s *site) makeReport() {
	s.t.Helper()
	const all = "/api/v1/deployments/1/reports"
	var made struct{ ID int64 }
	s.do(s.owner, "POST", all, map[string]any{"name": "Query times", "sqlQuery": timeQuery, "source": "SHEETS_B"}, &made)
	s.report = fmt.Sprintf("%s/%d", all, made.ID)
	s.schedules = "/api/v1/deployments/1/refresh-schedules"
	role := map[string]any{"id": 7, "name": "Readers", "actions": []string{"ReportRead"}}
	s.do(s.owner, "PUT", s.report+"/access", map[string]any{"rolesWithAccess": []any{role}}, nil)
}

// makeBook makes a workbook and places the report there. The last ones are unavailable at times.
func (s *site) makeBook(i int) {
	s.t.Helper()
	name, kind := fmt.Sprintf("book-%02d.xlsx", i), reachable
	if n := files - i - 1; n < unavailable {
		kind = []state{movedAway, movedAway, movedAway, leftOpen, leftOpen, leftOpen, broken, broken}[n]
	}
	f := excelize.NewFile()
	must(s.t, f.SetCellStr("Sheet1", "A1", "When the source was queried"))
	must(s.t, f.SaveAs(s.file(name)))
	must(s.t, f.Close())
	s.place(s.owner, name, placements.SheetsB, kind)
}

func (s *site) file(name string) string { return filepath.Join(s.dir, "sheets", name) }

// place connects the report without data.
func (s *site) place(as, document string, on placements.Host, kind state) {
	s.t.Helper()
	b := &book{name: document, placement: fmt.Sprintf("p-%02d", len(s.books)), becomes: kind, now: reachable}
	if kind == addinOnly {
		b.now = addinOnly
	}
	s.do(as, "PUT", s.report+"/connect-workbook", map[string]any{
		"externalWorkbookId": document, "resultLocation": "Sheet1!B2", "host": on, "addressOnly": true, "placementId": b.placement,
	}, nil)
	s.books = append(s.books, b)
}

// locks are the files by which two spreadsheet programs show that they have a file open.
func (s *site) locks(b *book) (list []string) {
	return []string{s.file("~$" + b.name), s.file(".~lock." + b.name + "#")}
}

// makeUnavailable makes a document unavailable.
func (s *site) makeUnavailable(b *book) {
	s.t.Helper()
	switch b.becomes {
	case movedAway:
		must(s.t, os.Rename(s.file(b.name), filepath.Join(s.dir, b.name)))
	case leftOpen:
		must(s.t, os.WriteFile(s.locks(b)[s.rand.IntN(2)], []byte("a user"), 0o600))
	case broken:
		content, err := os.ReadFile(s.file(b.name))
		must(s.t, err)
		b.content = content
		s.replace(b, []byte("no workbook"))
	}
	b.now = b.becomes
}

// restore makes a document available again.
func (s *site) restore(b *book) {
	s.t.Helper()
	switch b.becomes {
	case movedAway:
		must(s.t, os.Rename(filepath.Join(s.dir, b.name), s.file(b.name)))
	case leftOpen:
		for _, lock := range s.locks(b) {
			if err := os.Remove(lock); err != nil && !os.IsNotExist(err) {
				s.t.Fatal(err)
			}
		}
	case broken:
		s.replace(b, b.content)
	}
	b.now, b.since = reachable, ""
}

// replace replaces a file as a program saves it.
func (s *site) replace(b *book, content []byte) {
	s.t.Helper()
	temp := filepath.Join(s.dir, b.name+".new")
	must(s.t, os.WriteFile(temp, content, 0o644))
	must(s.t, os.Rename(temp, s.file(b.name)))
}

// changeDocuments makes documents unavailable and available at random, or all of them available.
func (s *site) changeDocuments(all bool) {
	s.t.Helper()
	for _, b := range s.books {
		switch {
		case b.becomes == reachable || b.becomes == addinOnly:
		case b.now != reachable && (all || s.rand.IntN(3) == 0):
			s.restore(b)
		case b.now == reachable && !all && s.rand.IntN(2) == 0:
			s.makeUnavailable(b)
		}
	}
}

// makeAllUnavailable makes all documents unavailable that are at times.
func (s *site) makeAllUnavailable() {
	s.t.Helper()
	for _, b := range s.books {
		if !slices.Contains([]state{reachable, addinOnly}, b.becomes) {
			s.makeUnavailable(b)
		}
	}
}

// queriedAt reads from a file when the source was queried for what stands in it.
func (s *site) queriedAt(b *book) time.Time {
	s.t.Helper()
	f, err := excelize.OpenFile(s.file(b.name))
	must(s.t, err)
	defer f.Close()
	text, err := f.GetCellValue("Sheet1", "C3")
	must(s.t, err)
	at, _ := time.Parse(time.RFC3339, text)
	return at
}
