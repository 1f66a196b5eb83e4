// Package yaml reads YAML files with the place of every value, and edits them in place: what is not edited stays as it is, byte for byte.
//
// A file is one document of mappings, lists and scalars. What makes a value differ from what stands in its place (anchors, aliases, merge
// keys, tags, several documents) is refused with its place rather than read, so that each value can be edited where it stands.
//
// Values are those of JSON: nil, string, bool, json.Number, []any and map[string]any.
package yaml
