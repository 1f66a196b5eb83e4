package graphfake

import (
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

func (c *cloud) createSession(id string, body []byte) (int, any, error) {
	var options struct {
		PersistChanges *bool `json:"persistChanges"`
	}
	if err := decodeStrict(body, &options); err != nil {
		return 0, nil, err
	}
	if options.PersistChanges == nil {
		return 0, nil, invalid("persistChanges is missing")
	}
	opened := "cluster=fake&session=" + c.newID()
	c.sessions[opened] = session{id, !*options.PersistChanges}
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
