package portable

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"mooring/storage/record"
)

// MemberChange is a member of a definition that changes. A value that is not there is nil.
type MemberChange struct {
	Pointer string `json:"pointer"` // RFC 6901
	Before  any    `json:"before,omitempty"`
	After   any    `json:"after,omitempty"`
}

// treeOf is the JSON object that v encodes to.
func treeOf(v any) (record.Tree, error) {
	text, err := record.Encode(v)
	if err != nil {
		return nil, err
	}
	value, err := record.Generic(json.RawMessage(text))
	t, _ := value.(record.Tree)
	return t, err
}

// differences lists where two trees differ, in the order of their pointers. Lists of one length are compared item by item, others as a
// whole.
func differences(before, after record.Tree) []MemberChange {
	var found []MemberChange
	compareTrees(&found, "", before, after)
	sortDifferences(found)
	return found
}

func sortDifferences(list []MemberChange) {
	slices.SortFunc(list, func(a, b MemberChange) int { return cmp.Compare(a.Pointer, b.Pointer) })
}

// isEmpty reports whether a value is that of a member without one.
func isEmpty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case bool:
		return !v
	case json.Number:
		return record.CanonicalNumber(string(v)) == "0"
	case []any:
		return len(v) == 0
	case record.Tree:
		return len(v) == 0
	}
	return false
}

func compareTrees(found *[]MemberChange, at string, before, after record.Tree) {
	for name, was := range before {
		is, stays := after[name]
		if pointer := at + "/" + escaped(name); stays {
			compareValues(found, pointer, was, is)
		} else {
			*found = append(*found, MemberChange{pointer, was, nil})
		}
	}
	for name, is := range after {
		if _, was := before[name]; !was {
			*found = append(*found, MemberChange{at + "/" + escaped(name), nil, is})
		}
	}
}

func compareValues(found *[]MemberChange, at string, before, after any) {
	switch was := before.(type) {
	case record.Tree:
		if is, ok := after.(record.Tree); ok {
			compareTrees(found, at, was, is)
			return
		}
	case []any:
		if is, ok := after.([]any); ok && len(was) == len(is) {
			for i := range was {
				compareValues(found, at+"/"+strconv.Itoa(i), was[i], is[i])
			}
			return
		}
	}
	if !record.SameValue(before, after) {
		*found = append(*found, MemberChange{at, before, after})
	}
}

// escaped is a member's name as a pointer has it.
func escaped(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}

// at is the value at a pointer, nil for none.
func at(t record.Tree, pointer string) any {
	var value any = t
	for _, step := range strings.Split(strings.TrimPrefix(pointer, "/"), "/") {
		step = strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
		switch v := value.(type) {
		case record.Tree:
			value = v[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(v) {
				return nil
			}
			value = v[i]
		default:
			return nil
		}
	}
	return value
}

// managed is what of t the members of shape manage: those that shape has, nil where t has none. Of a member that is merged, only what shape
// has within it.
func managed(shape, t record.Tree, merged string) record.Tree {
	only := make(record.Tree, len(shape))
	for name, inner := range shape {
		only[name] = t[name]
		if part, ok := inner.(record.Tree); ok && name == merged {
			if whole, ok := t[name].(record.Tree); ok {
				only[name] = managedWithin(part, whole)
			}
		}
	}
	return only
}

func managedWithin(shape, t record.Tree) record.Tree {
	only := make(record.Tree, len(shape))
	for name, inner := range shape {
		only[name] = t[name]
		part, isObject := inner.(record.Tree)
		if whole, ok := t[name].(record.Tree); ok && isObject {
			only[name] = managedWithin(part, whole)
		}
	}
	return only
}
