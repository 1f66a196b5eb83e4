package graphfake

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

// Move moves or renames a workbook and returns its id: within a drive it keeps its own, in another one it gets a new one.
func (s *Server) Move(id, drive, below string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	doc := s.docs[id]
	if doc.drive.id != drive {
		delete(s.docs, id)
		id = "moved-" + s.newID()
		s.docs[id] = doc
		doc.drive = s.mustDrive(drive)
	}
	doc.path = below
	return id
}

// Copy copies a workbook, with all that stands in it, and returns the id of the copy.
func (s *Server) Copy(id, drive, below string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	doc := s.docs[id].copy()
	doc.drive, doc.path = s.mustDrive(drive), below
	copied := "copy-" + s.newID()
	s.docs[copied] = doc
	return copied
}

// Remove removes a workbook.
func (s *Server) Remove(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.docs, id)
}

// OpenOnDesktop has a person open a workbook in Excel on a desktop, or close it: meanwhile its content cannot be replaced as a whole, while
// sessions on it go through.
func (s *Server) OpenOnDesktop(id string, open bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.docs[id].desktop = open
}

// RefuseSearch makes the fake search nothing, as is said of the service for applications that are let into some sites only.
func (s *Server) RefuseSearch() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refusesSearch = true
}

// Address is the address of a workbook, as a program that has it open shows it.
func (s *Server) Address(id string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.docs[id].address()
}

// Share makes a link to a workbook.
func (s *Server) Share(id string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	u, _ := url.Parse(s.docs[id].drive.address())
	return "https://" + u.Host + "/:x:/s/shared/E" + base64.RawURLEncoding.EncodeToString([]byte(id))
}

func (d *document) address() string {
	return d.drive.address() + (&url.URL{Path: "/" + d.path}).EscapedPath()
}

// address is the webUrl of a drive.
func (d *drive) address() string {
	if d.site == nil {
		return "https://contoso-my.sharepoint.com/personal/" + strings.TrimPrefix(d.id, "b!") + "/Documents"
	}
	return "https://" + (&url.URL{Path: d.site.at}).EscapedPath() + "/" + url.PathEscape(d.name)
}

// shared answers /shares/u!{address}/driveItem. For an application the service resolves links that were made to share something, and answers
// the plain address of an item with 403.
func (c *cloud) shared(below string, x exchange) (int, any, error) {
	token, ok := strings.CutPrefix(below, "u%21")
	if !ok {
		token, ok = strings.CutPrefix(below, "u!")
	}
	token, of := strings.CutSuffix(token, "/driveItem")
	address, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || !ok || !of {
		return 0, nil, invalid("The sharing token is not valid.")
	}
	_, key, link := strings.Cut(string(address), "/:x:/s/shared/E")
	id, err := base64.RawURLEncoding.DecodeString(key)
	doc := c.docs[string(id)]
	switch {
	case !link:
		return 0, nil, denied()
	case err != nil || doc == nil:
		return 0, nil, missing("itemNotFound", "The sharing link no longer exists, or you do not have permission to access it.")
	case doc.drive.grant == None || doc.denied:
		return 0, nil, denied()
	}
	return answer(x, doc.object(string(id)))
}

var searchForm = regexp.MustCompile(`^(.*)/search\(q='((?:[^'/]|'')*)'\)$`)

// search answers the workbooks at or below a folder whose names hold a text. What it finds does not say in which folder it is.
func (c *cloud) search(d *drive, folder, text string, x exchange) (int, any, error) {
	if c.refusesSearch {
		return 0, nil, denied()
	}
	folder = strings.Trim(folder, ":/")
	var found []entry
	for _, e := range c.everything(d) {
		below := folder == "" || len(e.doc.path) > len(folder) && strings.EqualFold(e.doc.path[:len(folder)+1], folder+"/")
		if below && strings.Contains(strings.ToLower(e.name), strings.ToLower(text)) {
			found = append(found, e)
		}
	}
	return list(x, found, func(e entry) map[string]any {
		o := e.doc.object(e.id)
		o["parentReference"] = map[string]any{"driveId": d.id}
		return o
	})
}

// upload replaces the whole of a workbook, of which the fake keeps nothing but that it has changed.
func upload(id string, doc *document, x exchange) (int, any, error) {
	switch {
	case x.method != http.MethodPut:
		return 0, nil, &apiError{http.StatusMethodNotAllowed, "methodNotAllowedUncategorized", "The method is not allowed."}
	case doc.drive.grant != Write:
		return 0, nil, denied()
	case doc.desktop:
		return 0, nil, &apiError{http.StatusLocked, "resourceLocked", "The resource you are attempting to access is locked"}
	}
	doc.Revision++
	return http.StatusOK, doc.object(id), nil
}
