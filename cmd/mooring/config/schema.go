package config

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"mooring/cmd/mooring/yaml/shape"
)

// Schema returns the JSON Schema of a configuration file with the kinds of sources and hosts that are known. It takes every file that Load
// takes, and refuses unknown keys and values of another kind; the rest is left to Load.
func Schema(known Drivers) shape.Schema {
	schema := schemaWriter{known}.value("", reflect.TypeFor[Config]())
	schema["$schema"], schema["title"], schema["description"] = shape.Draft, "The configuration of Mooring", "What mooring serve and mooring agent read."
	schema["type"], schema["required"] = "object", []string{"tenants"}
	return schema
}

// schemaWriter writes schemas from the types that a file is read into.
type schemaWriter struct{ drivers Drivers }

// The patterns of texts that stand for other values. A variable may stand for any.
const (
	variablePattern = `\$\{`
	wholePattern    = `^[+-]?[0-9]+$|` + variablePattern
	truthPattern    = `^(true|false)$|` + variablePattern
	sizePattern     = `^\s*[+-]?[0-9]+\s*([KMG]iB)?\s*$|` + variablePattern
	durationPattern = `^[+-]?(0|(([0-9]+\.?[0-9]*|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$|` + variablePattern
)

// value returns the schema of what is read into a type and stands at a path. A null is as if the key were not there.
func (w schemaWriter) value(path string, t reflect.Type) shape.Schema {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	schema := shape.Schema{}
	switch {
	case t == sourceType:
		schema["anyOf"] = entries(w, path, t, w.drivers.Sources)
	case t == hostType:
		schema["anyOf"] = entries(w, path, t, w.drivers.Hosts)
	case t == hostsType:
		schema["anyOf"] = w.hosts(path)
	case t.Kind() == reflect.Struct:
		schema = w.object(path, fieldTypes(t))
	case t.Kind() == reflect.Map:
		schema["type"], schema["additionalProperties"] = orNull("object"), w.value(path, t.Elem())
		if t.Key().Kind() != reflect.String {
			schema["propertyNames"] = shape.Schema{"pattern": wholePattern}
		}
	case t.Kind() == reflect.Slice:
		schema["type"], schema["items"] = orNull("array"), w.value(path, t.Elem())
	default:
		schema = scalarSchema(path, t)
	}
	if about := keyTexts[path]; about != "" {
		schema["description"] = about
	}
	return schema
}

func orNull(types ...string) []string { return append(types, "null") }

// object returns the schema of a mapping of those keys.
func (w schemaWriter) object(path string, keys map[string]reflect.Type) shape.Schema {
	properties := shape.Schema{}
	for key, t := range keys {
		properties[key] = w.value(strings.TrimPrefix(path+"."+key, "."), t)
	}
	return shape.Schema{"type": orNull("object"), "properties": properties, "additionalProperties": false}
}

// fieldTypes maps the keys of a struct, by their yaml tags, to their types.
func fieldTypes(t reflect.Type) map[string]reflect.Type {
	known := map[string]reflect.Type{}
	for key, field := range fields(reflect.New(t).Elem()) {
		known[key] = field.Type()
	}
	return known
}

// entries returns the schemas of an entry, one for each kind: the keys of the entry and those of the kind.
func entries[C any](w schemaWriter, path string, t reflect.Type, known Kinds[C]) []shape.Schema {
	all := []shape.Schema{{"type": "null"}}
	for _, k := range known {
		keys := fieldTypes(t)
		maps.Copy(keys, fieldTypes(reflect.TypeOf(k.New()).Elem()))
		one := w.object(path, keys)
		one["type"], one["title"], one["required"] = "object", k.Name, []string{"kind"}
		one["properties"].(shape.Schema)["kind"] = shape.Schema{"const": k.Name, "description": keyTexts[path+".kind"]}
		all = append(all, one)
	}
	byVariable := shape.Schema{"kind": shape.Schema{"type": "string", "pattern": variablePattern}}
	return append(all, shape.Schema{"type": "object", "properties": byVariable, "required": []string{"kind"}})
}

// hosts returns the schemas of a list of hosts, and of a mapping of them.
func (w schemaWriter) hosts(path string) []shape.Schema {
	one := w.value(path, hostType)
	delete(one, "description")
	words := shape.Schema{"enum": []string{"SHEETS_A", "SHEETS_B", "google", "excel"}}
	return []shape.Schema{
		{"type": orNull("array"), "items": one},
		{"type": "object", "additionalProperties": one, "propertyNames": words},
	}
}

// scalarSchema returns the schema of a scalar, which may be written as a text where a variable stands for it.
func scalarSchema(path string, t reflect.Type) shape.Schema {
	switch {
	case t == durationType:
		return shape.Schema{"type": orNull("string"), "pattern": durationPattern}
	case t == sizeType:
		return shape.Schema{"type": orNull("integer", "string"), "pattern": sizePattern}
	case t.Kind() == reflect.Bool:
		return shape.Schema{"type": orNull("boolean", "string"), "pattern": truthPattern}
	case t.Kind() == reflect.String:
		return textSchema(path)
	}
	schema := shape.Schema{"type": orNull("integer", "string"), "pattern": wholePattern}
	if least, ok := leastNumbers[path]; ok {
		schema["minimum"] = least
	}
	if path == "partitions" {
		schema["maximum"] = maxPartitions
	}
	return schema
}

// textSchema returns the schema of a text, for which a number or a truth value is taken as it is written.
func textSchema(path string) shape.Schema {
	schema := shape.Schema{"type": orNull("string", "number", "boolean")}
	if known := slices.Clone(choices[path]); known != nil {
		schema["anyOf"] = []shape.Schema{{"enum": append(known, "", nil)}, {"type": "string", "pattern": variablePattern}}
	}
	return schema
}

// leastNumbers are the least values of numbers, by their paths.
var leastNumbers = map[string]int{
	"partitions": 1, "limits.requestsPerMinute": 0, "limits.schedulesPerUser": 0, "limits.schedulesPerTenant": 0,
}

// choices are the values that texts may have, by their paths.
var choices = map[string][]any{
	"log.level":              {"debug", "info", "warn", "error"},
	"log.format":             {logText, logJSON},
	"signing.keys.algorithm": {"HS256", "EdDSA", "RS256"},
	"hooks.kind":             {"standard", "dbt", "fivetran"},
}
