package client

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write interface.d.ts anew")

// schema is a schema of the interface, as far as it says of which type a value is.
type schema struct {
	Ref        string            `json:"$ref"`
	Type       any               `json:"type"` // a name, or a list of them
	Enum       []any             `json:"enum"`
	OneOf      []schema          `json:"oneOf"`
	AnyOf      []schema          `json:"anyOf"`
	Items      *schema           `json:"items"`
	Properties map[string]schema `json:"properties"`
	Required   []string          `json:"required"`
	Additional json.RawMessage   `json:"additionalProperties"`
}

// String returns the type in TypeScript.
func (s schema) String() string {
	switch {
	case s.Ref != "":
		return s.Ref[strings.LastIndex(s.Ref, "/")+1:]
	case len(s.OneOf) > 0:
		return union(s.OneOf)
	case len(s.AnyOf) > 0 && s.Type == nil:
		return union(s.AnyOf)
	case len(s.Enum) > 0:
		return union(s.Enum)
	}
	if list, several := s.Type.([]any); several {
		each := make([]schema, len(list))
		for i, name := range list {
			each[i] = s
			each[i].Type = name
		}
		return union(each)
	}
	switch s.Type {
	case "integer", "number":
		return "number"
	case "array":
		return "Array<" + s.Items.String() + ">"
	case "object":
		return s.object()
	case nil:
		return "any"
	}
	return fmt.Sprint(s.Type)
}

// union returns the type of what is of one of some types, or one of some values.
func union[T any](of []T) string {
	texts := make([]string, len(of))
	for i, one := range of {
		if texts[i] = fmt.Sprint(one); !isSchema(one) {
			text, _ := json.Marshal(one)
			texts[i] = string(text)
		}
	}
	return strings.Join(texts, " | ")
}

func isSchema(v any) bool { _, is := v.(schema); return is }

func (s schema) object() string {
	var values schema
	if len(s.Properties) == 0 {
		_ = json.Unmarshal(s.Additional, &values) // true takes any
		return "Record<string, " + values.String() + ">"
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		optional := "?"
		if slices.Contains(s.Required, name) {
			optional = ""
		}
		fmt.Fprintf(&b, "%s%s: %s; ", name, optional, s.Properties[name])
	}
	return "{ " + b.String() + "}"
}

// The modules' comments name the shapes of the interface by the types in ../interface.d.ts, which scripts/test checks them against.
func TestTheModulesShapesAreCurrent(t *testing.T) {
	text, err := os.ReadFile("../openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var spec struct {
		Components struct{ Schemas map[string]schema }
	}
	if err := json.Unmarshal(text, &spec); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("// Code generated from openapi.json by go generate ./web/client. DO NOT EDIT.\n\n")
	for _, name := range slices.Sorted(maps.Keys(spec.Components.Schemas)) {
		fmt.Fprintf(&b, "export type %s = %s;\n", name, spec.Components.Schemas[name])
	}
	if *update {
		if err := os.WriteFile("../interface.d.ts", []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile("../interface.d.ts"); err != nil || string(got) != b.String() {
		t.Errorf("interface.d.ts is not what openapi.json says (%v): run go generate ./web/client", err)
	}
}
