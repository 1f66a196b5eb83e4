//go:build unix

package requests

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// maker makes values, by the names that they go by and by their schemas.
type maker struct {
	*rand.Rand
	known *ids
	calm  bool              // requests are as their operations have them for an example
	exact map[string]string // the parameters of paths that are known
}

// chance reports true in so many of a hundred cases.
func (m maker) chance(percent int) bool { return m.IntN(100) < percent }

func pick[T any](m maker, list ...T) T { return list[m.IntN(len(list))] }

// value makes one that the schema allows, as far as that can be said by types; name is the member's that it is for.
func (m maker) value(name string, s *openapi3.Schema, depth int) any {
	if v, ok := m.named(name); ok && (s.Type == nil || s.Type.Includes(typeOf(v))) {
		return v
	}
	switch {
	case len(s.Enum) > 0:
		return pick(m, s.Enum...)
	case len(s.AnyOf) > 0:
		return m.value(name, pick(m, s.AnyOf...).Value, depth)
	case len(s.OneOf) > 0:
		return m.value(name, pick(m, s.OneOf...).Value, depth)
	case len(s.AllOf) > 0:
		return m.value(name, pick(m, s.AllOf...).Value, depth)
	}
	kind := "object"
	if s.Type != nil {
		kind = pick(m, s.Type.Slice()...)
	}
	if kind == "null" && m.chance(70) {
		kind = s.Type.Slice()[0]
	}
	switch kind {
	case "string":
		return m.text(s)
	case "integer":
		return m.whole(s)
	case "number":
		return m.Float64()*100 - 20
	case "boolean":
		return m.chance(50)
	case "array":
		return m.list(name, s, depth)
	case "object":
		return m.object(s, depth)
	}
	return nil
}

func typeOf(v any) string {
	switch v.(type) {
	case string:
		return openapi3.TypeString
	case int64:
		return openapi3.TypeInteger
	}
	return openapi3.TypeObject
}

func (m maker) text(s *openapi3.Schema) string {
	if s.Format == "date-time" {
		return pick(m, "2026-11-22T00:04:34.363Z", "2020-01-01T00:00:00Z", "2030-06-30T12:00:00+02:00")
	}
	text := pick(m, "orders", "Sales of 2026", "Sheet1!B2", "SELECT id, customer, amount FROM orders", "Ana", "b", "A1", "Größe", "0 7 * * *")
	if s.MaxLength != nil && uint64(len(text)) > *s.MaxLength {
		text = text[:*s.MaxLength]
	}
	return text
}

func (m maker) whole(s *openapi3.Schema) int64 {
	n := int64(m.IntN(20))
	if s.Min != nil {
		n += int64(*s.Min)
	}
	if s.Max != nil && m.chance(20) {
		n = int64(*s.Max)
	}
	return n
}

func (m maker) list(name string, s *openapi3.Schema, depth int) any {
	list := []any{}
	if s.Items == nil || depth > 6 {
		return list
	}
	for range m.IntN(3) + int(s.MinItems) {
		list = append(list, m.value(strings.TrimSuffix(name, "s"), s.Items.Value, depth+1))
	}
	return list
}

func (m maker) object(s *openapi3.Schema, depth int) any {
	object := map[string]any{}
	if depth > 6 {
		return object
	}
	wanted := pick(m, 20, 50, 90)
	for _, name := range sortedKeys(s.Properties) {
		if p := s.Properties[name]; p.Value != nil && (m.chance(wanted) || contains(s.Required, name)) {
			object[name] = m.value(name, p.Value, depth+1)
		}
	}
	if len(s.Properties) == 0 && m.chance(50) {
		object[pick(m, "color", "chart", "title", "n")] = pick[any](m, "green", 7, true, nil, []any{1}, map[string]any{"a": nil})
	}
	return object
}

func contains(list []string, one string) bool {
	for _, s := range list {
		if s == one {
			return true
		}
	}
	return false
}

// named is a value for what goes by a name, wherever it stands; ok reports whether there is one.
func (m maker) named(name string) (v any, ok bool) {
	switch name {
	case "name", "title":
		return fmt.Sprintf("Orders %d", m.IntN(1000)), true
	case "sqlQuery":
		return pick(m, "SELECT id, customer, amount FROM orders ORDER BY id", "SELECT 1 AS one", "SELECT nothing FROM nowhere", "no query"), true
	case "cron":
		return pick(m, "@yearly", "0 7 1 1 *", "30 6 29 2 *"), true
	case "timezone":
		return pick(m, "UTC", "Europe/Berlin", "America/New_York"), true
	case "host":
		return pick(m, "SHEETS_B", "SHEETS_B", "SHEETS_A"), true
	case "resultLocation", "anchor", "endResultCell", "statusCell":
		return fmt.Sprintf("%s%s%d", pick(m, "Sheet1!", "Sheet1!", "", "'My sheet'!"), pick(m, "A", "B", "H", "AA"), 1+m.IntN(40)), true
	case "publicId", "reportPublicId":
		return m.known.one(m, "publicId", fmt.Sprintf("Orders%06d", m.IntN(50))), true
	case "slug", "key", "placementId":
		return m.known.one(m, name, fmt.Sprintf("%s-%d", name, m.IntN(50))), true
	case "externalWorkbookId", "document":
		return pick(m, books...), true
	case "runId", "planId", "deviceId", "keyId", "userCode", "jti", "device_code":
		return m.known.one(m, name, "QX4DZJTK2M7A5WVN6RBYC3HLPE"), true
	case "reportId", "workbookId", "scheduleId", "report":
		id := m.known.one(m, strings.TrimSuffix(name, "Id")+"Id", strconv.Itoa(1+m.IntN(9)))
		n, err := strconv.ParseInt(id, 10, 64)
		return n, err == nil
	case "version", "expectedVersion", "fence":
		return int64(1 + m.IntN(3)), true
	case "token":
		return "not.a.token", true
	case "grant_type":
		return "urn:ietf:params:oauth:grant-type:device_code", true
	case "actions", "action":
		return nil, false
	}
	return nil, false
}
