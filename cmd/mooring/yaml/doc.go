// Package yaml reads YAML files with the place of every value, and edits them in place: what is not edited stays as it is, byte for byte.
//
// A file is one document of mappings, lists and scalars. [Compose] reads whatever YAML says with them: anchors, aliases, merge keys and tags.
// [Parse] refuses these with their places: they make a value differ from what stands in its place, and it reads files whose values can be
// edited where they stand, with [Update].
//
// The library takes time that grows with the square of some things: how many keys stand side by side, how deep values are nested, how many
// documents a text has and how many blank lines end a block of text. Each is bounded here.
//
// Values are those of JSON: nil, string, bool, json.Number, []any and map[string]any.
package yaml
