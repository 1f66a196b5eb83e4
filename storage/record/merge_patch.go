package record

import (
	"bytes"
	"encoding/json"
)

// FieldDraft is the member of a workbook's meta that holds the dashboard's draft.
const FieldDraft = "dashboardDraft"

// mergePatch applies an object to another by RFC 7386: null removes a member, objects are merged member by member, and anything else
// replaces.
func mergePatch(target, patch map[string]json.RawMessage) (map[string]json.RawMessage, error) {
	if target == nil {
		target = make(map[string]json.RawMessage, len(patch))
	}
	for name, value := range patch {
		inner, isObject, err := object(value)
		switch {
		case err != nil:
			return nil, err
		case isNull(value):
			delete(target, name)
		case !isObject:
			target[name] = value
		default:
			if err := mergeMember(target, name, inner); err != nil {
				return nil, err
			}
		}
	}
	return target, nil
}

func mergeMember(target map[string]json.RawMessage, name string, patch map[string]json.RawMessage) error {
	old, _, err := object(target[name])
	if err != nil {
		return err
	}
	merged, err := mergePatch(old, patch)
	if err != nil {
		return err
	}
	text, err := Encode(merged)
	target[name] = json.RawMessage(text)
	return err
}

// object returns the members of a JSON object; ok is false for any other value, or none.
func object(text json.RawMessage) (members map[string]json.RawMessage, ok bool, err error) {
	if text = bytes.TrimSpace(text); len(text) == 0 || text[0] != '{' {
		return nil, false, nil
	}
	err = json.Unmarshal(text, &members)
	return members, true, err
}

func isNull(text json.RawMessage) bool { return string(bytes.TrimSpace(text)) == "null" }

// MergedMeta merges a meta sent by an upsert into the one stored. The draft is replaced whole (decisions.md §5).
func MergedMeta(stored, sent json.RawMessage) (json.RawMessage, error) {
	patch, isObject, err := object(sent)
	if err != nil || !isObject {
		return stored, err
	}
	target, _, err := object(stored)
	if err != nil {
		return nil, err
	}
	draft, hasDraft := patch[FieldDraft]
	delete(patch, FieldDraft)
	merged, err := mergePatch(target, patch)
	if err != nil {
		return nil, err
	}
	switch {
	case hasDraft && isNull(draft):
		delete(merged, FieldDraft)
	case hasDraft:
		merged[FieldDraft] = draft
	}
	text, err := Encode(merged)
	return json.RawMessage(text), err
}

// ReplacedMeta is a meta sent by an update, in the form in which it is stored.
func ReplacedMeta(sent json.RawMessage) (json.RawMessage, error) {
	members, _, err := object(sent)
	if err != nil {
		return nil, err
	}
	if members == nil {
		members = map[string]json.RawMessage{}
	}
	if isNull(members[FieldDraft]) {
		delete(members, FieldDraft)
	}
	text, err := Encode(members)
	return json.RawMessage(text), err
}
