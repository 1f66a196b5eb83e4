package graphfake

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"

	"mooring/refresh/host/hosttest/book"
)

const fin = "https://contoso.sharepoint.com/sites/fin"

// startSite is start with a site of two libraries.
func startSite(t *testing.T) *Server {
	t.Helper()
	s := start(t)
	s.AddSite(fin, Write, "Documents", "Archive")
	s.AddTo(DriveOf(fin, "Documents"), "2026/It's a plan.xlsx", "plan", book.New(Rows, Columns, "Data"))
	s.AddTo(DriveOf(fin, "Documents"), "plan.xlsx", "top", book.New(Rows, Columns, "Data"))
	return s
}

func shareToken(address string) string {
	return "u!" + base64.RawURLEncoding.EncodeToString([]byte(address))
}

func TestLibraries(t *testing.T) {
	const documents = "/drives/b!fin-Documents"
	for _, row := range []struct {
		fact, method, path string
		set                func(*Server)
		status             int
	}{
		{"a site by its path", "GET", "/sites/contoso.sharepoint.com:/sites/fin?$select=id,webUrl", nil, 200},
		{"a site that is not there", "GET", "/sites/contoso.sharepoint.com:/sites/none", nil, 404},
		{"a site without permission", "GET", "/sites/contoso.sharepoint.com:/sites/fin", func(s *Server) { s.Grant(fin, None) }, 403},
		{"its drives", "GET", "/sites/contoso.sharepoint.com:/sites/fin:/drives?$select=id,name,webUrl", nil, 404},
		{"an item by its path", "GET", documents + "/root:/2026/It's%20a%20plan.xlsx:?$select=id,name,webUrl,parentReference,file", nil, 200},
		{"an item by a path where none is", "GET", documents + "/root:/2026/none.xlsx:", nil, 404},
		{"a search", "GET", documents + "/root/search(q='plan')?$select=id,name,webUrl,parentReference,file", nil, 200},
		{"a search with an apostrophe", "GET", documents + "/root/search(q='It''s')", nil, 200},
		{"a search with one apostrophe too few", "GET", documents + "/root/search(q='It's')", nil, 404},
		{"a search without permission", "GET", documents + "/root/search(q='plan')", func(s *Server) { s.Grant(fin, None) }, 403},
		{"a plain address of a share", "GET", "/shares/" + shareToken(fin+"/Documents/plan.xlsx") + "/driveItem", nil, 403},
		{"no address of a share", "GET", "/shares/x/driveItem", nil, 400},
		{"content", "PUT", documents + "/items/plan/content", nil, 200},
		{"content by a path", "PUT", documents + "/root:/plan.xlsx:/content", nil, 200},
		{"content of what is open on a desktop", "PUT", documents + "/items/plan/content", func(s *Server) { s.OpenOnDesktop("plan", true) }, 423},
		{"content by the path of what is open on a desktop", "PUT", documents + "/root:/plan.xlsx:/content", func(s *Server) { s.OpenOnDesktop("top", true) }, 423},
		{"content of what was open on a desktop", "PUT", documents + "/items/plan/content", func(s *Server) {
			s.OpenOnDesktop("plan", true)
			s.OpenOnDesktop("plan", false)
		}, 200},
		{"content without permission to write", "PUT", documents + "/items/plan/content", func(s *Server) { s.Grant(fin, Read) }, 403},
		{"a session on what is open on a desktop", "POST", documents + "/items/plan/workbook/createSession", func(s *Server) { s.OpenOnDesktop("plan", true) }, 201},
		{"a session without permission to write", "POST", documents + "/items/plan/workbook/createSession", func(s *Server) { s.Grant(fin, Read) }, 403},
		{"what was removed", "GET", documents + "/items/plan", func(s *Server) { s.Remove("plan") }, 404},
	} {
		t.Run(row.fact, func(t *testing.T) {
			s := startSite(t)
			if row.set != nil {
				row.set(s)
			}
			body := ""
			if row.method == "POST" {
				body = `{"persistChanges":true}`
			}
			if status, answer := send(t, s, row.method, row.path, body); status != row.status {
				t.Errorf("status %d, want %d: %.300s", status, row.status, answer)
			}
		})
	}
}

// found are the ids that a list answers.
func found(t *testing.T, s *Server, path string) (ids []string) {
	t.Helper()
	_, answer := send(t, s, "GET", path, "")
	var page struct{ Value []struct{ ID string } }
	if err := json.Unmarshal([]byte(answer), &page); err != nil {
		t.Fatal(err)
	}
	for _, one := range page.Value {
		ids = append(ids, one.ID)
	}
	return ids
}

func TestSearch(t *testing.T) {
	s := startSite(t)
	for _, row := range []struct {
		path string
		want []string
	}{
		{"/drives/b!fin-Documents/root/search(q='PLAN')", []string{"plan", "top"}},
		{"/drives/b!fin-Documents/root:/2026:/search(q='plan')", []string{"plan"}},
		{"/drives/b!fin-Documents/root/search(q='none')", nil},
		{"/drives/b!fin-Archive/root/search(q='plan')", nil},
	} {
		if got := found(t, s, row.path); !slices.Equal(got, row.want) {
			t.Errorf("%s found %v, want %v", row.path, got, row.want)
		}
	}
	if _, answer := send(t, s, "GET", "/drives/b!fin-Documents/root/search(q='top')", ""); strings.Contains(answer, "root:") {
		t.Errorf("what is found says where it is: %s", answer)
	}
}

func TestShares(t *testing.T) {
	s := startSite(t)
	path := "/shares/" + shareToken(s.Share("plan")) + "/driveItem?$select=id,parentReference"
	if status, answer := send(t, s, "GET", path, ""); status != 200 || !strings.Contains(answer, `"id":"plan"`) {
		t.Errorf("status %d: %s", status, answer)
	}
	s.Grant(fin, None)
	if status, _ := send(t, s, "GET", path, ""); status != 403 {
		t.Errorf("without permission status %d", status)
	}
	s.Remove("plan")
	if status, _ := send(t, s, "GET", path, ""); status != 404 {
		t.Errorf("of what was removed status %d", status)
	}
}

func TestItemsMove(t *testing.T) {
	s := startSite(t)
	documents, archive := DriveOf(fin, "Documents"), DriveOf(fin, "Archive")
	if id := s.Move("plan", documents, "2027/renamed.xlsx"); id != "plan" {
		t.Errorf("within its drive the id became %s", id)
	}
	if got, want := s.Address("plan"), fin+"/Documents/2027/renamed.xlsx"; got != want {
		t.Errorf("it is at %s, want %s", got, want)
	}
	if status, _ := send(t, s, "GET", "/drives/"+url.PathEscape(documents)+"/root:/2026/It's%20a%20plan.xlsx:", ""); status != 404 {
		t.Errorf("where it was, status %d", status)
	}
	copied := s.Copy("plan", documents, "2027/copy.xlsx")
	s.Edit(copied, func(b *book.Book) { b.Sheet("Data").Set(0, 0, "of the copy") })
	s.Edit("plan", func(b *book.Book) {
		if b.Sheet("Data").Cell(0, 0).Value != nil {
			t.Error("the copy shares cells with what it was copied from")
		}
	})
	moved := s.Move("plan", archive, "plan.xlsx")
	if moved == "plan" || moved == copied {
		t.Errorf("in another drive the id is %s", moved)
	}
	if status, _ := send(t, s, "GET", "/drives/"+documents+"/items/plan", ""); status != 404 {
		t.Errorf("the old id has status %d", status)
	}
	if status, _ := send(t, s, "GET", "/drives/"+archive+"/items/"+moved, ""); status != 200 {
		t.Errorf("the new id has status %d", status)
	}
}

// Permissions on sites are given by an administrator, to the application that the directory knows.
func TestSitesArePermitted(t *testing.T) {
	s := startSite(t)
	s.Grant(fin, None)
	const (
		path  = "/sites/contoso.sharepoint.com,collection-fin,site-fin/permissions"
		write = `{"roles":["write"],"grantedToIdentities":[{"application":{"id":"` + ClientID + `","displayName":"Mooring"}}]}`
	)
	asAdministrator := []string{"Authorization", "Bearer " + AdminToken}
	for _, row := range []struct {
		fact, method, path, body string
		header                   []string
		status                   int
	}{
		{"the application itself", "POST", path, write, nil, 403},
		{"another application", "POST", path, strings.ReplaceAll(write, ClientID, "other"), asAdministrator, 400},
		{"another role", "POST", path, strings.ReplaceAll(write, "write", "edit"), asAdministrator, 400},
		{"the site, which is still closed", "GET", "/sites/contoso.sharepoint.com:/sites/fin", "", nil, 403},
		{"the site, which an administrator sees", "GET", "/sites/contoso.sharepoint.com:/sites/fin?$select=id", "", asAdministrator, 200},
		{"an administrator's permission", "POST", path, write, asAdministrator, 201},
		{"the site, which is open now", "GET", "/sites/contoso.sharepoint.com:/sites/fin", "", nil, 200},
		{"a file, which an administrator does not open", "GET", "/drives/b!fin-Documents/items/plan", "", asAdministrator, 403},
	} {
		if status, answer := send(t, s, row.method, row.path, row.body, row.header...); status != row.status {
			t.Errorf("%s: status %d, want %d: %.300s", row.fact, status, row.status, answer)
		}
	}
	if status, answer := send(t, s, "PUT", "/drives/b!fin-Documents/items/plan/content", ""); status != 200 {
		t.Errorf("a write to a library of the site: status %d: %.300s", status, answer)
	}
}
