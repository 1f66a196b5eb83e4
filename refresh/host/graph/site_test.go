package graph_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/graph"
	"mooring/refresh/host/graph/graphfake"
	"mooring/refresh/host/hosttest"
	"mooring/refresh/host/hosttest/book"
)

const (
	finance = "https://contoso.sharepoint.com/sites/fin"
	sales   = "https://contoso.sharepoint.com/sites/Sales Team"
)

// onSites makes a host of two sites, the first with two libraries, and of a drive.
func onSites(t *testing.T, options ...func(*graph.Settings)) rig {
	t.Helper()
	r := newRig(t, append([]func(*graph.Settings){func(o *graph.Settings) {
		o.Sites = []string{finance, strings.ReplaceAll(sales, " ", "%20")}
	}}, options...)...)
	r.AddSite(finance, graphfake.Write, "Documents", "Archive")
	r.AddSite(sales, graphfake.Write, "Documents")
	r.AddTo(graphfake.DriveOf(finance, "Archive"), "2026/plan.xlsx", "01PLAN", newBook())
	r.AddTo(graphfake.DriveOf(finance, "Documents"), "Old Sheets/notes.docx", "01NOTES", newBook())
	r.AddTo(graphfake.DriveOf(sales, "Documents"), "Board & more/deals.xlsx", "01DEALS", newBook())
	return r
}

func newBook() *book.Book { return book.New(graphfake.Rows, graphfake.Columns, "Data", "Other") }

func TestDocumentsAreFoundInSitesAndDrives(t *testing.T) {
	for _, row := range []struct {
		fact     string
		document string
		folders  []string
		want     placements.Class // empty: it is read
	}{
		{"in a drive", doc, nil, ""},
		{"in a library of a site", "01PLAN", nil, ""},
		{"in another site", "01DEALS", nil, ""},
		{"nowhere", "01GONE", nil, placements.Structure},
		{"in a folder of a library that is named", "01PLAN", []string{"Archive/2026"}, ""},
		{"in a library that is named whole", "01PLAN", []string{"Archive"}, ""},
		{"in another library than is named", "01PLAN", []string{"Documents/2026"}, placements.Structure},
		{"in a folder that only begins as the named one", "01PLAN", []string{"Archive/20"}, placements.Structure},
		{"in a folder of a site's only library", "01DEALS", []string{"Board & more"}, ""},
		{"below no folder", doc, []string{"Archive/2026"}, placements.Structure},
	} {
		t.Run(row.fact, func(t *testing.T) {
			r := onSites(t, func(o *graph.Settings) { o.Folders = row.folders })
			err := r.host.Has(t.Context(), row.document)
			s, opened := r.host.Open(t.Context(), row.document)
			if row.want != "" {
				hosttest.WantFault(t, err, row.want)
				hosttest.WantFault(t, opened, row.want)
				return
			}
			if err = errors.Join(err, opened); err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if _, err := s.Read(t.Context(), []host.Wanted{{Block: host.Block{Document: row.document, Sheet: "Data"}, Extent: checksum.Extent{Rows: 1, Columns: 1}}}); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestADocumentIsLookedForOnce(t *testing.T) {
	r := onSites(t)
	for i, want := range []int{5, 0} { // two sites with their libraries, a batch for all drives
		if err := r.host.Has(t.Context(), "01DEALS"); err != nil {
			t.Fatal(err)
		}
		if got := r.Requests(); len(got) != want {
			t.Errorf("look %d: %d requests, want %d: %+v", i+1, len(got), want, got)
		}
	}
}

// What is not found may be in a site that cannot be looked into.
func TestASiteThatIsClosedIsNamed(t *testing.T) {
	r := onSites(t)
	r.Grant(finance, graphfake.None)
	if err := r.host.Has(t.Context(), "01DEALS"); err != nil {
		t.Errorf("a document of the other site: %v", err)
	}
	err := r.host.Has(t.Context(), "01PLAN")
	hosttest.WantFault(t, err, placements.Auth)
	if !strings.Contains(err.Error(), "contoso.sharepoint.com/sites/fin") || !strings.Contains(err.Error(), "Sites.Selected") {
		t.Errorf("the fault says %q", err)
	}
}

func TestPartsAreChecked(t *testing.T) {
	for _, row := range []struct {
		fact  string
		set   func(r rig)
		sites []string
		want  string // of the note, the warning or the fault
	}{
		{"a session is opened", nil, []string{finance}, "ok a session on plan.xlsx was opened"},
		{"a site without a workbook", func(r rig) { r.AddSite("https://x.sharepoint.com", graphfake.Write, "Documents") }, []string{"https://x.sharepoint.com"}, "ok not tried"},
		{"no permission", func(r rig) { r.Grant(finance, graphfake.None) }, []string{finance}, "permission: Microsoft 365 does not let the application into the site contoso.sharepoint.com/sites/fin:"},
		{"no such site", nil, []string{"https://contoso.sharepoint.com/sites/none"}, "site: Microsoft 365 knows no site"},
		{"no library", func(r rig) { r.AddSite("https://x.sharepoint.com/sites/e", graphfake.Write) }, []string{"https://x.sharepoint.com/sites/e"}, "library: the site"},
		{"read only", func(r rig) { r.Grant(finance, graphfake.Read) }, []string{finance}, "ok plan.xlsx was read warning workbook API refused a session on plan.xlsx"},
		{"refused workbooks", func(r rig) { r.RefuseWorkbooks(graphfake.DriveOf(finance, "Archive")) }, []string{finance}, "workbook API refused: Microsoft 365 does not let the application open the workbook plan.xlsx"},
	} {
		t.Run(row.fact, func(t *testing.T) {
			r := onSites(t, func(o *graph.Settings) { o.Sites, o.Drives = row.sites, nil })
			if row.set != nil {
				row.set(r)
			}
			if err := r.host.Check(t.Context()); err != nil {
				t.Errorf("the host: %v", err)
			}
			found, err := r.host.CheckPart(t.Context(), 0)
			got := "ok " + found.Note
			if found.Warning != "" {
				got += " warning " + found.Warning
			}
			if err != nil {
				got = err.Error()
			}
			if !strings.HasPrefix(got, row.want) {
				t.Errorf("got %q, want %q", got, row.want)
			}
			if n := r.Sessions(); n != 0 {
				t.Errorf("%d sessions are left open", n)
			}
		})
	}
}

// However many folders a library has, a check asks for twenty things at most.
func TestAPartIsCheckedWithFewRequests(t *testing.T) {
	r := onSites(t, func(o *graph.Settings) { o.Drives, o.Sites = nil, []string{finance} })
	for i := range 60 {
		r.AddTo(graphfake.DriveOf(finance, "Documents"), fmt.Sprintf("%03d/%03d/note.docx", i, i), fmt.Sprint("note", i), newBook())
	}
	found, err := r.host.CheckPart(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(r.Requests()); n > 20 {
		t.Errorf("%d requests (%s)", n, found.Note)
	}
}

func TestPlacesAreChecked(t *testing.T) {
	for name, test := range map[string]struct {
		config graph.Config
		want   string
	}{
		"a drive twice":         {graph.Config{Drive: "a", Drives: []string{"b"}}, "drive: write it among drives"},
		"a site without scheme": {graph.Config{Sites: []string{"contoso.sharepoint.com"}}, `sites: "contoso.sharepoint.com" is no address of a site`},
		"a folder that leaves":  {graph.Config{Drive: "a", Folders: []string{"../x"}}, `folders: "../x" is no path`},
		"too many sites":        {graph.Config{Sites: make([]string, 51)}, "sites: at most 50"},
	} {
		t.Run(name, func(t *testing.T) {
			c := test.config
			c.TenantID, c.ClientID, c.ClientSecret = "t", "c", "s"
			if _, err := c.Open(t.Context(), nil); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("Open: %v, want %q", err, test.want)
			}
		})
	}
}
