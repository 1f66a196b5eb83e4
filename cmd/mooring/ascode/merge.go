package ascode

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"mooring/cmd/mooring/yaml"
	"mooring/storage/record"
	"mooring/storage/record/portable"
)

// Conflict is a member that was changed in a file and on the server, differently.
type Conflict struct {
	Kind    portable.AssetKind
	Ref     string
	Place   yaml.Place
	Pointer string
	File    any
	Server  any
}

// Side is whose value is taken where file and server changed the same.
type Side int

// The sides. Undecided keeps the file's and reports a conflict.
const (
	Undecided Side = iota
	Ours
	Theirs
)

// merging is a three-way merge of values of JSON.
type merging struct {
	kind      portable.AssetKind
	side      Side
	conflicts []Conflict
}

// open reports whether a mapping leaves members alone that neither file nor last apply have: those of a definition are not known, and those
// of a workbook's meta are other programs'.
func (m *merging) open(pointer string) bool { return pointer == "" || m.shared(pointer) }

// shared reports whether a mapping is the meta of a workbook, which is merged member by member.
func (m *merging) shared(pointer string) bool {
	return m.kind == portable.KindWorkbook && pointer == "/meta"
}

// missing is the value of a member that is not there.
type missing struct{}

func gone(v any) bool { _, is := v.(missing); return is }

// merge returns ours with what theirs changed since base.
func (m *merging) merge(pointer string, base, ours, theirs any) any {
	switch {
	case m.same(pointer, ours, theirs), m.same(pointer, base, theirs):
		return ours
	case mapped(ours) && mapped(theirs) && (mapped(base) || gone(base)):
		return m.members(pointer, asMap(base), asMap(ours), asMap(theirs))
	case m.same(pointer, base, ours):
		return theirs
	case alike(base, ours, theirs):
		return m.items(pointer, base.([]any), ours.([]any), theirs.([]any))
	case m.side == Theirs:
		return theirs
	case m.side == Undecided:
		m.conflicts = append(m.conflicts, Conflict{Pointer: pointer, File: present(ours), Server: present(theirs)})
	}
	return ours
}

func (m *merging) members(pointer string, base, ours, theirs map[string]any) map[string]any {
	merged := map[string]any{}
	for _, key := range union(ours, theirs) {
		b, o := get(base, key), get(ours, key)
		if gone(b) && gone(o) && m.open(pointer) {
			continue
		}
		if v := m.merge(pointer+"/"+escapeStep.Replace(key), b, o, get(theirs, key)); !gone(v) {
			merged[key] = v
		}
	}
	return merged
}

func get(m map[string]any, key string) any {
	if v, has := m[key]; has {
		return v
	}
	return missing{}
}

// present returns nil for what is missing.
func present(v any) any {
	if gone(v) {
		return nil
	}
	return v
}

// escapeStep writes a step of a JSON pointer (RFC 6901).
var escapeStep = strings.NewReplacer("~", "~0", "/", "~1")

// unescapeStep reads one.
var unescapeStep = strings.NewReplacer("~1", "/", "~0", "~")

// items merges lists of the same things, such as widgets, one by one.
func (m *merging) items(pointer string, base, ours, theirs []any) []any {
	merged := make([]any, len(ours))
	for i := range ours {
		merged[i] = m.merge(fmt.Sprintf("%s/%d", pointer, i), base[i], ours[i], theirs[i])
	}
	return merged
}

// alike reports whether values are lists of mappings with the same ids in the same order.
func alike(base, ours, theirs any) bool {
	ids := func(v any) (list []any, ok bool) {
		items, _ := v.([]any)
		for _, item := range items {
			id, has := asMap(item)["id"].(string)
			if !has {
				return nil, false
			}
			list = append(list, id)
		}
		return list, len(list) > 0
	}
	b, okB := ids(base)
	o, okO := ids(ours)
	t, okT := ids(theirs)
	return okB && okO && okT && slices.Equal(b, o) && slices.Equal(o, t)
}

func union(a, b map[string]any) []string {
	all := maps.Clone(a)
	if all == nil {
		all = map[string]any{}
	}
	maps.Copy(all, b)
	return names(all)
}

func mapped(v any) bool { _, is := v.(map[string]any); return is }

func asMap(v any) map[string]any { m, _ := v.(map[string]any); return m }

// empty reports whether a value is what a member without a value shows.
func empty(v any) bool {
	switch v := v.(type) {
	case nil, missing:
		return true
	case string:
		return v == ""
	case bool:
		return !v
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

// same reports whether two values of the member at a pointer mean the same. Of the members of a definition those without a value are the
// same as those that are missing, and a null in the meta of a workbook is the same as none.
func (m *merging) same(pointer string, a, b any) bool {
	around := pointer[:max(0, strings.LastIndexByte(pointer, '/'))]
	if around == "" && empty(a) && empty(b) {
		return true
	}
	if m.shared(around) {
		a, b = present(a), present(b)
	}
	if gone(a) || gone(b) {
		return gone(a) && gone(b)
	}
	return compact(normal(a)) == compact(normal(b))
}

// normal returns a value with each number in the one writing of its value.
func normal(v any) any {
	switch v := v.(type) {
	case []any:
		items := make([]any, len(v))
		for i, item := range v {
			items[i] = normal(item)
		}
		return items
	case map[string]any:
		members := make(map[string]any, len(v))
		for k, item := range v {
			members[k] = normal(item)
		}
		return members
	case nil, string, bool:
		return v
	}
	return json.Number(record.CanonicalNumber(compact(v)))
}
