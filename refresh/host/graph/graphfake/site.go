package graphfake

import (
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"mooring/refresh/host/hosttest/book"
)

// Grant is what the application may do in a site: what an administrator has given it there under Sites.Selected.
type Grant string

// The grants.
const (
	Write Grant = "write"
	Read  Grant = "read"
	None  Grant = "" // the site is closed to the application
)

// site is a SharePoint site.
type site struct {
	at    string // host and path, as its address has them
	grant Grant
}

// drive is a document library of a site, or a drive of its own.
type drive struct {
	id, name string
	site     *site // nil: none
	grant    Grant // of a drive without a site

	refusesWorkbooks bool
}

// session is a session on a workbook.
type session struct {
	document string
	passing  bool // what it changes is not kept
}

// AddSite makes a site at an address, such as https://contoso.sharepoint.com/sites/fin, with libraries: a drive each, of that name.
func (s *Server) AddSite(address string, grant Grant, libraries ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := &site{at: strings.TrimPrefix(address, "https://"), grant: grant}
	s.sites = append(s.sites, one)
	for _, name := range libraries {
		s.drives = append(s.drives, &drive{id: DriveOf(address, name), name: name, site: one, grant: grant})
	}
}

// Grant changes what the application may do in the site at an address.
func (s *Server) Grant(address string, grant Grant) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.drives {
		if d.site != nil && "https://"+d.site.at == address {
			d.grant, d.site.grant = grant, grant
		}
	}
}

// DriveOf is the id of a library of the site at an address.
func DriveOf(address, library string) string { return "b!" + path.Base(address) + "-" + library }

// AddTo puts a workbook into a drive, at a path below its root.
func (s *Server) AddTo(drive, below, id string, b *book.Book) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.drives {
		if d.id == drive {
			s.docs[id] = &document{Book: b, drive: d, path: below}
			return
		}
	}
	panic("graphfake: no drive " + drive)
}

// RefuseWorkbooks makes the workbook API refuse the files of a drive, as it does those that a sensitivity label encrypts.
func (s *Server) RefuseWorkbooks(drive string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.drives {
		d.refusesWorkbooks = d.refusesWorkbooks || d.id == drive
	}
}

// denied is the answer about what is closed to the application.
func denied() error { return &apiError{http.StatusForbidden, "accessDenied", "Access denied"} }

func (d *drive) object() map[string]any {
	return map[string]any{"id": d.id, "name": d.name, "driveType": "documentLibrary", "webUrl": d.address()}
}

func (d *document) object(id string) map[string]any {
	parent := "/drives/" + d.drive.id + "/root:"
	if folder := path.Dir(d.path); folder != "." {
		parent += (&url.URL{Path: "/" + folder}).EscapedPath()
	}
	page, _ := url.Parse(d.drive.address())
	page = page.JoinPath("..", "_layouts/15/Doc.aspx") // not the address of the file itself
	page.RawQuery = url.Values{"sourcedoc": {"{" + id + "}"}, "file": {path.Base(d.path)}}.Encode()
	return map[string]any{
		"id": id, "name": path.Base(d.path), "webUrl": page.String(), "file": map[string]any{"mimeType": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
		"cTag":            fmt.Sprintf(`"c:{%s},%d"`, id, d.tag()),
		"parentReference": map[string]any{"driveId": d.drive.id, "path": parent},
	}
}

// site answers a request about a site: /sites/{host}:/{path}, /sites/{host} or /sites/{id}, the drives of it and, of the id, its permissions.
func (c *cloud) site(below string, x exchange) (int, any, error) {
	below, drives := strings.CutSuffix(below, "/drives")
	below, permissions := strings.CutSuffix(below, "/permissions")
	i := slices.IndexFunc(c.sites, func(one *site) bool {
		name, err := url.PathUnescape(strings.Replace(below, ":/", "/", 1))
		return err == nil && (strings.EqualFold(one.at, name) || one.id() == name)
	})
	switch {
	case i < 0:
		return 0, nil, missing("itemNotFound", "Requested site could not be found")
	case permissions:
		return c.permit(c.sites[i], x)
	case c.sites[i].grant == None && !isAdministrator(x.header):
		return 0, nil, denied()
	case !drives:
		return answer(x, map[string]any{"id": c.sites[i].id(), "webUrl": "https://" + c.sites[i].at})
	}
	var of []*drive
	for _, d := range c.drives {
		if d.site == c.sites[i] {
			of = append(of, d)
		}
	}
	return list(x, of, (*drive).object)
}

// permit answers an administrator who gives an application a permission on a site.
func (c *cloud) permit(one *site, x exchange) (int, any, error) {
	var sent struct {
		Roles               []Grant
		GrantedToIdentities []struct {
			Application struct{ ID, DisplayName string }
		}
	}
	if !isAdministrator(x.header) || x.method != http.MethodPost {
		return 0, nil, denied()
	}
	if err := decodeStrict(x.body, &sent); err != nil {
		return 0, nil, err
	}
	if len(sent.Roles) != 1 || len(sent.GrantedToIdentities) != 1 {
		return 0, nil, invalid("One role and one application are expected.")
	}
	role, to := sent.Roles[0], sent.GrantedToIdentities[0].Application
	if role != Write && role != Read || to.ID != ClientID || to.DisplayName == "" {
		return 0, nil, invalid("The role %q cannot be given to the application %q.", role, to.ID)
	}
	one.grant = role
	for _, d := range c.drives {
		if d.site == one {
			d.grant = role
		}
	}
	return http.StatusCreated, map[string]any{"id": "permission-" + c.newID(), "roles": sent.Roles}, nil
}

// id is three identifiers, as the service has it.
func (s *site) id() string {
	host, below, _ := strings.Cut(s.at, "/")
	return host + ",collection-" + path.Base(below) + ",site-" + path.Base(below)
}

// entry is an item of a folder: a workbook, or a folder below.
type entry struct {
	name string
	id   string // of a workbook
	doc  *document
}

func (e entry) object() map[string]any {
	if e.doc != nil {
		return e.doc.object(e.id)
	}
	return map[string]any{
		"id": "folder-" + e.name, "name": e.name, "folder": map[string]any{"childCount": 1}, "webUrl": nil, "parentReference": nil,
	}
}

// selectable completes an item with the facets that it lacks, which the service leaves out where they are selected.
func selectable(item map[string]any) map[string]any {
	for _, facet := range []string{"file", "folder"} {
		if _, has := item[facet]; !has {
			item[facet] = nil
		}
	}
	return item
}

func sortEntries(list []entry, by func(entry) string) {
	slices.SortFunc(list, func(a, b entry) int { return strings.Compare(by(a), by(b)) })
}
