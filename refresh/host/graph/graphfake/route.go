package graphfake

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"mooring/refresh/host/hosttest/book"
)

var (
	sheetPath = regexp.MustCompile(`^/worksheets(?:\('((?:[^'/]|%27)*)'\)|/([^/()]+))` +
		`(?:(/protection|/usedRange\(valuesOnly=true\))|/range\(address='([^']*)'\)(/[a-z/]+)?)?$`)
	namePath = regexp.MustCompile(`^/names\('((?:[^'/]|%27)*)'\)$`)
)

// listPage is how many elements of a collection the fake answers at once.
const listPage = 50

// route answers one request about a site, a drive, an item or its workbook.
func (s *Server) route(x exchange) (int, any, error) {
	for name := range x.query {
		if name != "$select" && name != "$skip" {
			return 0, nil, invalid("The query option %q is not known.", name)
		}
	}
	if below, ok := strings.CutPrefix(x.path, "/sites/"); ok {
		return s.site(below, x)
	}
	if below, ok := strings.CutPrefix(x.path, "/shares/"); ok {
		return s.shared(below, x)
	}
	id, rest, _ := strings.Cut(strings.TrimPrefix(x.path, "/drives/"), "/")
	d, err := s.drive(id)
	if err != nil || !strings.HasPrefix(x.path, "/drives/") {
		return 0, nil, cmp.Or(err, missing("itemNotFound", "The drive could not be found."))
	}
	switch {
	case rest == "":
		return answer(x, d.object())
	case strings.HasPrefix(rest, "root"):
		return s.root(d, strings.TrimPrefix(rest, "root"), x)
	}
	item, rest, _ := strings.Cut(strings.TrimPrefix(rest, "items/"), "/")
	name, _ := url.PathUnescape(item)
	doc := s.docs[name]
	switch {
	case doc == nil, doc.drive != d:
		return 0, nil, missing("itemNotFound", "The resource could not be found.")
	case doc.denied:
		return 0, nil, &apiError{http.StatusForbidden, "accessDenied", "Access denied"}
	case rest == "":
		return answer(x, doc.object(name))
	case rest == "content":
		return upload(name, doc, x)
	case !strings.HasPrefix(rest, "workbook/"):
		return 0, nil, invalid("Resource not found for the segment %q.", rest)
	case d.refusesWorkbooks:
		return 0, nil, &apiError{http.StatusForbidden, "OpenWorkbookAccessDenied", "You do not have permissions to open this file."}
	}
	return s.workbook(name, doc, strings.TrimPrefix(rest, "workbook"), x)
}

// answer selects properties of an object.
func answer(x exchange, object map[string]any) (int, any, error) {
	if x.method != http.MethodGet {
		return 0, nil, &apiError{http.StatusMethodNotAllowed, "methodNotAllowedUncategorized", "The method is not allowed."}
	}
	return selected(http.StatusOK, x, object)
}

// list answers a collection, in pages of listPage.
func list[T any](x exchange, all []T, object func(T) map[string]any) (int, any, error) {
	skip := 0
	if x.query.Has("$skip") {
		var err error
		if skip, err = strconv.Atoi(x.query.Get("$skip")); err != nil || skip > len(all) {
			return 0, nil, invalid("The value of $skip is not valid.")
		}
	}
	page := map[string]any{}
	end := min(skip+listPage, len(all))
	value := []any{}
	for _, one := range all[skip:end] {
		status, some, err := answer(x, object(one))
		if err != nil {
			return status, nil, err
		}
		value = append(value, some)
	}
	page["value"] = value
	if end < len(all) {
		query := url.Values{"$select": x.query["$select"], "$skip": {strconv.Itoa(end)}}
		page["@odata.nextLink"] = x.base + x.path + "?" + query.Encode()
	}
	return http.StatusOK, page, nil
}

func sheetObject(b *book.Book, on *book.Sheet) map[string]any {
	return map[string]any{"id": sheetID(on), "name": on.Title, "position": slices.Index(b.Sheets, on)}
}

func selected(status int, x exchange, object map[string]any) (int, any, error) {
	if !x.query.Has("$select") {
		return status, object, nil
	}
	some := map[string]any{}
	for _, name := range strings.Split(x.query.Get("$select"), ",") {
		value, ok := object[name]
		if !ok {
			return 0, nil, invalid("Could not find a property named %q.", name)
		}
		some[name] = value
	}
	return status, some, nil
}

func (s *Server) workbook(id string, doc *document, path string, x exchange) (int, any, error) {
	if edit := s.beforeWrite; edit != nil && x.method != http.MethodGet {
		s.beforeWrite = nil
		edit(doc.Book)
	}
	session := x.header.Get("Workbook-Session-Id")
	if x.method != http.MethodGet && doc.drive.grant != Write && path != "/closeSession" {
		return 0, nil, &apiError{http.StatusForbidden, "EditModeAccessDenied", "The application may only read."}
	}
	if x.method != http.MethodGet && (session == "" && s.losesWrites || s.sessions[session].passing) {
		doc = doc.copy()
	}
	if session != "" && s.sessions[session].document != id {
		return 0, nil, missing("invalidSessionReCreatable", "The session specified in the request does not exist.")
	}
	switch {
	case path == "/createSession" && s.refusesSessions:
		return 0, nil, &apiError{http.StatusForbidden, "EditModeAccessDenied", "The workbook cannot be opened for editing."}
	case path == "/createSession" && x.method == http.MethodPost:
		return s.createSession(id, x.body)
	case path == "/closeSession" && x.method == http.MethodPost:
		if session == "" {
			return 0, nil, invalid("The session to close is missing.")
		}
		delete(s.sessions, session)
		return http.StatusNoContent, nil, nil
	case path == "/worksheets":
		return list(x, doc.Sheets, func(on *book.Sheet) map[string]any { return sheetObject(doc.Book, on) })
	case path == "/names":
		return list(x, doc.Names, nameObject)
	case path == "/names/add" && x.method == http.MethodPost:
		return addName(doc.Book, x)
	}
	if m := namePath.FindStringSubmatch(path); m != nil {
		name, _ := url.PathUnescape(m[1])
		if s.refusesHiding && strings.Contains(string(x.body), `"visible"`) {
			return 0, nil, invalid("The property 'visible' cannot be updated.")
		}
		return named(doc.Book, strings.ReplaceAll(name, "''", "'"), x)
	}
	m := sheetPath.FindStringSubmatch(path)
	if m == nil {
		return 0, nil, invalid("Resource not found for the segment %q.", path)
	}
	on := findSheet(doc.Book, m[1], m[2])
	if on == nil {
		return 0, nil, missing("itemNotFound", "The requested resource doesn't exist.")
	}
	switch {
	case m[3] == "/usedRange(valuesOnly=true)":
		return answer(x, usedObject(on))
	case m[3] != "":
		return answer(x, map[string]any{"protected": doc.protected(on)})
	case m[4] == "":
		return answer(x, sheetObject(doc.Book, on))
	}
	return onRange(doc, on, m[4], m[5], x)
}

func (s *Server) createSession(id string, body []byte) (int, any, error) {
	var options struct {
		PersistChanges *bool `json:"persistChanges"`
	}
	if err := decodeStrict(body, &options); err != nil {
		return 0, nil, err
	}
	if options.PersistChanges == nil {
		return 0, nil, invalid("persistChanges is missing")
	}
	opened := "cluster=fake&session=" + s.newID()
	s.sessions[opened] = session{id, !*options.PersistChanges}
	return http.StatusCreated, map[string]any{"id": opened, "persistChanges": *options.PersistChanges}, nil
}

// sheetID is the id of a worksheet in the form of the service.
func sheetID(s *book.Sheet) string {
	return fmt.Sprintf("{00000000-0001-0000-%04X-000000000000}", s.ID)
}

// findSheet finds a sheet by a key in apostrophes or a path segment, which is a name or an id.
func findSheet(b *book.Book, quoted, segment string) *book.Sheet {
	key, err := url.PathUnescape(quoted + segment)
	if err != nil {
		return nil
	}
	if quoted != "" {
		key = strings.ReplaceAll(key, "''", "'")
	}
	for _, s := range b.Sheets {
		if strings.EqualFold(s.Title, key) || sheetID(s) == key {
			return s
		}
	}
	return nil
}
