package graph_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/graph"
	"mooring/refresh/host/graph/graphfake"
	"mooring/refresh/host/hosttest"
	"mooring/refresh/host/hosttest/book"
)

// amidst is onSites with files of the same name in other places, in another site and below no site.
func amidst(t *testing.T, options ...func(*graph.Settings)) rig {
	t.Helper()
	r := onSites(t, options...)
	r.AddTo(graphfake.DriveOf(finance, "Documents"), "plan.xlsx", "01OTHER", newBook())
	r.AddTo(graphfake.DriveOf(finance, "Documents"), "Plan & co #1 100%+.xlsx", "01ODD", newBook())
	r.AddTo(graphfake.DriveOf(finance, "Documents"), "It's.xlsx", "01ITS", newBook())
	r.AddTo(graphfake.DriveOf(finance, "Documents"), "old plan.xlsx", "01OLD", newBook())
	r.AddTo(graphfake.DriveOf(finance, "Documents"), "~$plan.xlsx", "01LOCK", newBook())
	r.AddSite(secret, graphfake.Write, "Documents")
	r.AddTo(graphfake.DriveOf(secret, "Documents"), "plan.xlsx", "01SECRET", newBook())
	return r
}

// secret is a site that the configuration does not name, though its address begins as that of one which it names.
const secret = "https://contoso.sharepoint.com/sites/finance-hr"

func find(t *testing.T, h host.Driver, hint host.Hint, tried map[string]bool, b *host.Budget) (ids []string, err error) {
	t.Helper()
	found, err := h.(host.Finder).Find(t.Context(), hint, tried, b)
	for _, c := range found {
		if c.ID == "" || c.Name == "" || !strings.HasPrefix(c.WebURL, "https://") {
			t.Errorf("found %+v", c)
		}
		ids = append(ids, c.ID)
	}
	return ids, err
}

func TestFind(t *testing.T) {
	for _, row := range []struct {
		fact    string
		hint    host.Hint
		folders []string
		want    []string // the first of them first, the others in any order
		err     error
	}{
		{fact: "nothing is said"},
		{fact: "an address", hint: host.Hint{URL: finance + "/Archive/2026/plan.xlsx"}, want: []string{"01PLAN", "01OTHER"}},
		{
			fact: "an address in capitals, with a query", hint: host.Hint{URL: strings.ToUpper(finance) + "/ARCHIVE/2026/PLAN.XLSX?web=1"},
			want: []string{"01PLAN", "01OTHER"},
		},
		{
			fact: "an address of Excel for the web", hint: host.Hint{URL: "https://contoso.sharepoint.com/:x:/r/sites/fin/Archive/2026/plan.xlsx?d=w1"},
			want: []string{"01PLAN", "01OTHER"},
		},
		{fact: "an address in a site with a space", hint: host.Hint{URL: sales + "/Documents/Board & more/deals.xlsx"}, want: []string{"01DEALS"}},
		{fact: "an encoded address", hint: host.Hint{URL: strings.ReplaceAll(sales+"/Documents/Board & more/deals.xlsx", " ", "%20")}, want: []string{"01DEALS"}},
		{fact: "an address with all that is encoded", hint: host.Hint{URL: finance + "/Documents/Plan%20%26%20co%20%231%20100%25%2B.xlsx"}, want: []string{"01ODD"}},
		{fact: "an address of a drive", hint: host.Hint{URL: "https://contoso-my.sharepoint.com/personal/fake-drive/Documents/" + doc + ".xlsx"}, want: []string{doc}},
		{fact: "an address that is out of date", hint: host.Hint{URL: finance + "/Documents/gone/deals.xlsx"}, want: []string{"01DEALS"}},
		{fact: "a name with all that is encoded", hint: host.Hint{Name: "Plan & co #1 100%+.xlsx"}, want: []string{"01ODD"}},
		{fact: "a name with an apostrophe", hint: host.Hint{Name: "It's.xlsx"}, want: []string{"01ITS"}},
		{fact: "a name", hint: host.Hint{Name: "PLAN.xlsx"}, want: []string{"01OTHER", "01PLAN"}},
		{fact: "a path of Windows", hint: host.Hint{URL: `C:\Users\ada\OneDrive\deals.xlsx`}, want: []string{"01DEALS"}},
		{fact: "a path of a share", hint: host.Hint{URL: `\\server\share\deals.xlsx`}, want: []string{"01DEALS"}},
		{fact: "a path of a Mac", hint: host.Hint{URL: "/Users/ada/deals.xlsx"}, want: []string{"01DEALS"}},
		{fact: "a personal OneDrive", hint: host.Hint{URL: "https://d.docs.live.net/0123456789abcdef/deals.xlsx"}, want: []string{"01DEALS"}, err: host.ErrOutside},
		{fact: "a name that is nowhere", hint: host.Hint{Name: "none.xlsx"}},
		{fact: "a lock", hint: host.Hint{URL: finance + "/Documents/~$plan.xlsx", Name: "~$plan.xlsx"}},
		{fact: "no workbook", hint: host.Hint{URL: finance + "/Documents/Old Sheets/notes.docx", Name: "notes.docx"}},
		{fact: "a site that is not configured", hint: host.Hint{URL: secret + "/Documents/plan.xlsx"}, want: []string{"01OTHER", "01PLAN"}, err: host.ErrOutside},
		{fact: "another host", hint: host.Hint{URL: "https://evil.example/sites/fin/Archive/2026/x.xlsx"}, err: host.ErrOutside},
		{fact: "dots", hint: host.Hint{URL: finance + "/Archive/2026/../2026/plan.xlsx"}},
		{fact: "encoded dots", hint: host.Hint{URL: finance + "/..%2ffinance-hr/Documents/plan.xlsx"}},
		{fact: "a colon", hint: host.Hint{URL: finance + "/Archive/2026%3A/children/x.xlsx"}},
		{fact: "a name that is a path", hint: host.Hint{Name: "../hr/plan.xlsx:/children"}},
		{fact: "in a folder that is configured", hint: host.Hint{URL: finance + "/Archive/2026/plan.xlsx"}, folders: []string{"Archive/2026"}, want: []string{"01PLAN"}},
		{fact: "by name in a folder that is configured", hint: host.Hint{Name: "plan.xlsx"}, folders: []string{"Archive/2026"}, want: []string{"01PLAN"}},
		{
			fact: "beside the folders that are configured", hint: host.Hint{URL: finance + "/Documents/plan.xlsx"}, folders: []string{"Archive/2026"},
			want: []string{"01PLAN"}, err: host.ErrOutside,
		},
		{fact: "in no folder that is there", hint: host.Hint{Name: "plan.xlsx"}, folders: []string{"Archive/None"}},
	} {
		t.Run(row.fact, func(t *testing.T) {
			r := amidst(t, func(o *graph.Settings) { o.Folders = row.folders })
			got, err := find(t, r.host, row.hint, nil, &host.Budget{Candidates: 20, Requests: 30})
			if len(row.want) > 0 && (len(got) == 0 || got[0] != row.want[0] && row.hint.URL != "" && row.err == nil) {
				t.Errorf("found %v, want %v first", got, row.want)
			}
			slices.Sort(got)
			slices.Sort(row.want)
			if !slices.Equal(got, row.want) || !errors.Is(err, row.err) {
				t.Errorf("found %v (%v), want %v (%v)", got, err, row.want, row.err)
			}
			inside(t, r.Requests())
		})
	}
}

// inside checks that requests only name places of the configuration.
func inside(t *testing.T, seen []graphfake.Request) {
	t.Helper()
	for _, one := range seen {
		for _, path := range append(one.Steps, one.Path) {
			plain, _ := url.PathUnescape(path)
			if strings.Contains(plain, "finance-hr") && !strings.HasPrefix(plain, "/shares/") || strings.Contains(plain, "..") || strings.Contains(plain, "evil") {
				t.Errorf("asked for %s", plain)
			}
		}
	}
}

func TestFindByALink(t *testing.T) {
	r := amidst(t)
	got, err := find(t, r.host, host.Hint{URL: r.Share("01PLAN") + "?e=1"}, nil, nil)
	if !slices.Equal(got, []string{"01PLAN"}) || err != nil {
		t.Errorf("found %v (%v)", got, err)
	}
	if got, err = find(t, r.host, host.Hint{URL: r.Share("01SECRET")}, nil, nil); len(got) > 0 || !errors.Is(err, host.ErrOutside) {
		t.Errorf("found %v of a site that is not configured (%v)", got, err)
	}
	r.Requests()
	elsewhere := strings.Replace(r.Share("01PLAN"), "contoso", "fabrikam", 1)
	if got, err = find(t, r.host, host.Hint{URL: elsewhere}, nil, nil); len(got) > 0 || !errors.Is(err, host.ErrOutside) {
		t.Errorf("found %v at another host (%v)", got, err)
	}
	for _, seen := range r.Requests() {
		if strings.HasPrefix(seen.Path, "/shares/") {
			t.Errorf("asked for %s", seen.Path)
		}
	}
}

func TestFindGoesOnWhereItEnded(t *testing.T) {
	r := onSites(t)
	for n := range 30 {
		r.AddTo(graphfake.DriveOf(finance, "Archive"), fmt.Sprintf("%d/same.xlsx", n), fmt.Sprintf("01SAME%02d", n), newBook())
	}
	tried := map[string]bool{}
	first, err := find(t, r.host, host.Hint{Name: "same.xlsx"}, tried, &host.Budget{Candidates: 20, Requests: 30})
	if len(first) != 20 || !errors.Is(err, host.ErrSpent) {
		t.Fatalf("found %d (%v), want 20 and that there are more", len(first), err)
	}
	for _, id := range first {
		tried[id] = true
	}
	second, err := find(t, r.host, host.Hint{Name: "same.xlsx"}, tried, &host.Budget{Candidates: 20, Requests: 30})
	if len(second) != 10 || err != nil || slices.ContainsFunc(second, func(id string) bool { return tried[id] }) {
		t.Errorf("found %v (%v), want the other ten", second, err)
	}
}

// TestFindSpendsItsBudget looks in more sites than one look may ask: each look sends no more requests than it has, and all together they come
// to the last site.
func TestFindSpendsItsBudget(t *testing.T) {
	const sites = 40
	r := newRig(t, func(o *graph.Settings) {
		for n := range sites {
			o.Sites = append(o.Sites, fmt.Sprintf("https://contoso.sharepoint.com/sites/s%02d", n))
		}
	})
	for n := range sites {
		site := fmt.Sprintf("https://contoso.sharepoint.com/sites/s%02d", n)
		r.AddSite(site, graphfake.Write, "Documents")
		if n == sites-1 {
			r.AddTo(graphfake.DriveOf(site, "Documents"), "last.xlsx", "01LAST", newBook())
		}
	}
	for look := 1; ; look++ {
		r.Requests()
		got, err := find(t, r.host, host.Hint{Name: "last.xlsx"}, nil, &host.Budget{Candidates: 20, Requests: 30})
		requests := 0
		for _, seen := range r.Requests() {
			requests += max(1, len(seen.Steps))
		}
		if requests > 30 {
			t.Errorf("look %d: %d requests", look, requests)
		}
		if len(got) == 1 {
			t.Logf("found by look %d", look)
			return
		}
		if !errors.Is(err, host.ErrSpent) || look > 6 {
			t.Fatalf("look %d found %v (%v)", look, got, err)
		}
	}
}

func TestFindTellsOfWhatIsClosed(t *testing.T) {
	r := amidst(t)
	r.Grant(finance, graphfake.None)
	got, err := find(t, r.host, host.Hint{URL: finance + "/Archive/2026/plan.xlsx", Name: "deals.xlsx"}, nil, nil)
	hosttest.WantFault(t, err, placements.Auth)
	if !slices.Equal(got, []string{"01DEALS"}) {
		t.Errorf("found %v, want what another site has", got)
	}
}

// TestFindWithoutSearch looks in a service that lets the application search nothing.
func TestFindWithoutSearch(t *testing.T) {
	r := amidst(t)
	r.RefuseSearch()
	r.AddTo(graphfake.DriveOf(sales, "Documents"), "a/b c/d & e/deep.xlsx", "01DEEP", newBook())
	for n := range 60 { // more than a page of them
		r.AddTo(graphfake.DriveOf(sales, "Documents"), fmt.Sprintf("%02d.xlsx", n), fmt.Sprintf("01MANY%02d", n), newBook())
	}
	for name, want := range map[string][]string{
		"plan.xlsx": {"01OTHER", "01PLAN"}, "deals.xlsx": {"01DEALS"}, "deep.xlsx": {"01DEEP"}, "59.xlsx": {"01MANY59"}, "none.xlsx": nil, "~$plan.xlsx": nil,
	} {
		got, err := find(t, r.host, host.Hint{Name: name}, nil, &host.Budget{Candidates: 20, Requests: 30})
		slices.Sort(got)
		if !slices.Equal(got, want) || err != nil {
			t.Errorf("%s: found %v (%v), want %v", name, got, err, want)
		}
	}
	for n := range 20 {
		r.AddTo(graphfake.DriveOf(finance, "Archive"), fmt.Sprintf("Year %d/notes.docx", n), fmt.Sprintf("01NOTES%d", n), newBook())
	}
	got, err := find(t, r.host, host.Hint{Name: "deals.xlsx"}, nil, &host.Budget{Candidates: 20, Requests: 60})
	hosttest.WantFault(t, err, placements.Auth)
	if !slices.Equal(got, []string{"01DEALS"}) {
		t.Errorf("found %v, want what another library has", got)
	}
	inside(t, r.Requests())
	got, err = find(t, r.host, host.Hint{Name: "deals.xlsx"}, nil, &host.Budget{Candidates: 20, Requests: 8})
	if len(got) > 0 || !errors.Is(err, host.ErrSpent) {
		t.Errorf("with little to spend found %v (%v)", got, err)
	}
}

// TestFindSpendsNoMore looks with every budget that is too small.
func TestFindSpendsNoMore(t *testing.T) {
	for requests := range 6 {
		r := amidst(t)
		_, err := find(t, r.host, host.Hint{URL: finance + "/Archive/gone.xlsx", Name: "none.xlsx"}, nil, &host.Budget{Candidates: 20, Requests: requests})
		if !errors.Is(err, host.ErrSpent) {
			t.Errorf("with %d requests: %v", requests, err)
		}
		if fault, ok := errors.AsType[*placements.Fault](err); ok {
			t.Errorf("with %d requests: %s", requests, hosttest.Detail(fault))
		}
		sent := 0
		for _, seen := range r.Requests() {
			sent += max(1, len(seen.Steps))
		}
		if sent > requests {
			t.Errorf("with %d requests sent %d", requests, sent)
		}
	}
}

func TestFollowsMovesAndRenames(t *testing.T) {
	r, i := amidst(t), host.NewIdentity()
	says(t, r, "01PLAN", i)
	r.Move("01PLAN", graphfake.DriveOf(finance, "Archive"), "2027/budget.xlsx")
	if got, err := r.host.Prove(t.Context(), "01PLAN", nil); err != nil || got != i {
		t.Errorf("after a rename: %q (%v)", got, err)
	}
	moved := r.Move("01PLAN", graphfake.DriveOf(sales, "Documents"), "budget.xlsx")
	if moved == "01PLAN" {
		t.Error("an item keeps its id in another drive")
	}
	_, err := r.host.Prove(t.Context(), "01PLAN", nil)
	hosttest.WantFault(t, err, placements.Structure)
	got, err := find(t, r.host, host.Hint{URL: r.Address(moved)}, nil, nil)
	if len(got) == 0 || got[0] != moved {
		t.Fatalf("found %v (%v), want %s", got, err, moved)
	}
	if got, err := r.host.Prove(t.Context(), moved, nil); err != nil || got != i {
		t.Errorf("in another drive: %q (%v)", got, err)
	}
	copied := r.Copy(moved, graphfake.DriveOf(finance, "Documents"), "copy.xlsx")
	if got, err := r.host.Prove(t.Context(), copied, nil); err != nil || got != i || copied == moved {
		t.Errorf("a copy, %s: %q (%v)", copied, got, err)
	}
}

// says has a workbook say which one it is.
func says(t *testing.T, r rig, id string, i host.Identity) {
	t.Helper()
	r.Edit(id, func(b *book.Book) { b.AddName(book.Name{Name: host.DocumentName, Text: i.String(), Hidden: true}) })
}

func TestProve(t *testing.T) {
	for _, row := range []struct {
		fact     string
		set      func(rig)
		document string
		requests int
		class    placements.Class // empty: it is read
	}{
		{"what Find has named", func(rig) {}, "01PLAN", 3, ""},
		{"no sessions", func(r rig) { r.RefuseSessions() }, "01PLAN", 3, ""},
		{"open on a desktop", func(r rig) { r.OpenOnDesktop("01PLAN", true) }, "01PLAN", 3, ""},
		{"read only", func(r rig) { r.Grant(finance, graphfake.Read) }, "01PLAN", 3, ""},
		{"closed", func(r rig) { r.Deny("01PLAN") }, "01PLAN", 3, placements.Auth},
		{"gone", func(r rig) { r.Remove("01PLAN") }, "01PLAN", 3, placements.Structure},
		{"refused by the workbook interface", func(r rig) { r.RefuseWorkbooks(graphfake.DriveOf(finance, "Archive")) }, "01PLAN", 3, placements.Auth},
		{"in no place of the configuration", func(rig) {}, "01SECRET", 100, placements.Structure},
		{"no id", func(rig) {}, "../../me", 100, placements.Structure},
	} {
		t.Run(row.fact, func(t *testing.T) {
			r, i := amidst(t), host.NewIdentity()
			says(t, r, "01PLAN", i)
			says(t, r, "01SECRET", i)
			if _, err := find(t, r.host, host.Hint{URL: finance + "/Archive/2026/plan.xlsx"}, nil, nil); err != nil {
				t.Fatal(err)
			}
			row.set(r)
			r.Requests()
			state := ""
			if row.class == "" {
				r.Edit(row.document, func(b *book.Book) { state = fmt.Sprint(b.Revision) })
			}
			got, err := r.host.Prove(t.Context(), row.document, &host.Budget{Requests: 100})
			if row.class != "" {
				hosttest.WantFault(t, err, row.class)
				if got != (host.Identity{}) {
					t.Errorf("it says %q", got)
				}
			} else if err != nil || got != i {
				t.Errorf("it says %q (%s), want %q", got, hosttest.Detail(err), i)
			}
			if n := len(r.Requests()); n > row.requests {
				t.Errorf("%d requests, want at most %d", n, row.requests)
			}
			if n := r.Sessions(); n != 0 {
				t.Errorf("%d sessions are still open", n)
			}
			if row.class == "" {
				r.Edit(row.document, func(b *book.Book) {
					if now := fmt.Sprint(b.Revision); now != state {
						t.Errorf("the workbook has changed")
					}
				})
			}
		})
	}
	r := amidst(t)
	r.Requests()
	if _, err := r.host.Prove(t.Context(), "01PLAN", &host.Budget{Requests: 2}); !errors.Is(err, host.ErrSpent) || len(r.Requests()) > 0 {
		t.Errorf("with too little to spend: %v", err)
	}
}

// TestSessionsThatProveKeepNothing watches what is sent.
func TestSessionsThatProveKeepNothing(t *testing.T) {
	r := amidst(t)
	if _, err := r.host.Prove(t.Context(), "01PLAN", nil); err != nil {
		t.Fatal(err)
	}
	r.RefuseSessions()
	var seen []string
	for _, one := range r.Requests() {
		if one.Method == http.MethodPost && one.Path != "/$batch" {
			seen = append(seen, one.Path[strings.LastIndex(one.Path, "/"):])
		}
	}
	if !slices.Equal(seen, []string{"/createSession", "/closeSession"}) {
		t.Errorf("sent %v", seen)
	}
}
