package shape

import "mooring/cmd/mooring/yaml"

// Schema is a JSON Schema (draft 2020-12) as [encoding/json] writes it, or a part of one. A keyword that it has says why an editor marks a value.
type Schema map[string]any

// Draft is the address of the draft that schemas are written in.
const Draft = "https://json-schema.org/draft/2020-12/schema"

// Dialect is what a schema of a shape needs to know beside.
type Dialect struct {
	Variable string            // a pattern of texts that stand for others, of which nothing is known; empty: there are none
	About    map[string]string // what keys are for, by their paths such as items.at: names that are free and places in lists are left out
}

// Schema returns the JSON Schema of a file of this shape. It takes what Check takes, and refuses what Check refuses, but for texts of a form,
// of which it knows the pattern only, and for how numbers are written. It counts the characters of a text as the file has them.
func (s Shape) Schema(d Dialect) Schema { return d.schema("", s, true) }

// schema returns the schema of what stands at a path; required says that it is no null, which stands for a missing value elsewhere.
func (d Dialect) schema(path string, s Shape, required bool) Schema {
	schema := Schema{"type": s.types(required)}
	if about := d.About[path]; about != "" {
		schema["description"] = about
	}
	if s.kind == yaml.Number {
		schema["minimum"] = s.from
		schema["maximum"] = int64(1<<63 - 1)
	}
	if s.kind == yaml.List && s.of != nil {
		schema["items"] = d.schema(path, *s.of, true)
	}
	if s.listed {
		one := s
		one.listed = false
		schema["items"] = d.schema("", one, true)
	}
	if s.kind == yaml.Mapping {
		d.keys(path, s, schema)
	}
	d.text(schema, s, required)
	return schema
}

// types are the types of JSON that a value may have: one, or a list of them.
func (s Shape) types(required bool) any {
	types := []string{jsonTypes[s.kind]}
	if s.scalar {
		types = append(types, "number", "boolean")
	}
	if s.listed {
		types = append(types, "array")
	}
	if s.or != yaml.Null {
		types = append(types, jsonTypes[s.or])
	}
	if !required {
		types = append(types, jsonTypes[yaml.Null])
	}
	if len(types) == 1 {
		return types[0]
	}
	return types
}

// jsonTypes are the kinds of values in the words of JSON Schema.
var jsonTypes = map[yaml.Kind]string{
	yaml.Null: "null", yaml.Text: "string", yaml.Number: "integer", yaml.Truth: "boolean", yaml.List: "array", yaml.Mapping: "object",
}

// text adds what a text has to be, unless a variable stands in it.
func (d Dialect) text(schema Schema, s Shape, required bool) {
	limits := Schema{}
	if len(s.choices) > 0 {
		choices := make([]any, len(s.choices), len(s.choices)+1)
		for i, choice := range s.choices {
			choices[i] = choice
		}
		if !required {
			choices = append(choices, nil)
		}
		limits["enum"] = choices
	}
	if s.max > 0 {
		limits["maxLength"] = s.max
	}
	if s.form.Pattern != "" {
		limits["pattern"] = s.form.Pattern
	}
	switch {
	case len(limits) == 0:
	case d.Variable != "":
		schema["anyOf"] = []Schema{limits, {"type": "string", "pattern": d.Variable}}
	default:
		for keyword, limit := range limits {
			schema[keyword] = limit
		}
	}
}

// keys adds what a mapping may have.
func (d Dialect) keys(path string, s Shape, schema Schema) {
	switch {
	case s.members != nil:
		properties, required := Schema{}, []string{}
		for _, m := range s.members {
			properties[m.name] = d.schema(under(path, m.name), m.shape, m.required)
			if m.required {
				required = append(required, m.name)
			}
		}
		schema["properties"], schema["additionalProperties"] = properties, false
		if len(required) > 0 {
			schema["required"] = required
		}
	case s.of != nil:
		schema["additionalProperties"] = d.schema(path, *s.of, true)
	}
}

// under returns the path of a key of what stands at another.
func under(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// Paths returns the paths of all keys, in the order of the shape; free names have none.
func (s Shape) Paths() []string { return s.paths("") }

func (s Shape) paths(path string) (all []string) {
	for _, m := range s.members {
		at := under(path, m.name)
		all = append(append(all, at), m.shape.paths(at)...)
	}
	if s.of != nil {
		all = append(all, s.of.paths(path)...)
	}
	return all
}
