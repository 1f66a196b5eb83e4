package shape_test

import (
	"encoding/json"
	"strings"
	"testing"

	"mooring/cmd/mooring/yaml"
	"mooring/cmd/mooring/yaml/shape"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"
)

// compiled is a shape's schema as a validator has it.
func compiled(t rapid.TB, s shape.Schema) *jsonschema.Schema {
	t.Helper()
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource("x.json", doc); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("x.json")
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return compiled
}

// aShape draws a shape of at most that depth.
func aShape(t *rapid.T, depth int) shape.Shape {
	form := shape.Form{Pattern: "^[ab]+$", Wrong: func(s string) string {
		if s == "" || strings.Trim(s, "ab") != "" {
			return "has other letters than a and b"
		}
		return ""
	}}
	kinds := []func() shape.Shape{
		func() shape.Shape { return shape.Text(rapid.IntRange(0, 3).Draw(t, "max")) },
		func() shape.Shape { return shape.Rule(form) },
		func() shape.Shape { return shape.Choice("a", "b") },
		func() shape.Shape { return shape.Whole(rapid.Int64Range(-1, 2).Draw(t, "from")) },
		func() shape.Shape { return shape.Whole(0).Or(form) },
		shape.Truth, shape.Any,
		func() shape.Shape { return shape.Any().OrText() },
		func() shape.Shape { return shape.List(aShape(t, depth-1)) },
		func() shape.Shape { return shape.List(shape.Text(2)).OrText() },
		func() shape.Shape { return shape.Table(aShape(t, depth-1)) },
		func() shape.Shape { return aMapping(t, depth-1) },
	}
	if depth <= 0 {
		kinds = kinds[:8]
	}
	return rapid.SampledFrom(kinds).Draw(t, "shape")()
}

func aMapping(t *rapid.T, depth int) shape.Shape {
	members := []shape.Member{shape.May("a", aShape(t, depth))}
	if rapid.Bool().Draw(t, "two?") {
		members = append(members, shape.Must("b", aShape(t, depth)))
	}
	return shape.Keys(members...)
}

// aValue draws a value, whatever a file may have.
func aValue(t *rapid.T, depth int) any {
	kinds := []func() any{
		func() any { return rapid.SampledFrom([]string{"", "a", "b", "ab", "c", "äöü€"}).Draw(t, "text") },
		func() any { return rapid.IntRange(-2, 3).Draw(t, "number") },
		func() any { return 1.5 },
		func() any { return rapid.Bool().Draw(t, "truth") },
		func() any { return nil },
		func() any {
			items := make([]any, rapid.IntRange(0, 2).Draw(t, "items"))
			for i := range items {
				items[i] = aValue(t, depth-1)
			}
			return items
		},
		func() any { return mappingOf(t, depth-1) },
	}
	if depth <= 0 {
		kinds = kinds[:5]
	}
	return rapid.SampledFrom(kinds).Draw(t, "value")()
}

func mappingOf(t *rapid.T, depth int) any {
	m := map[string]any{}
	for _, key := range []string{"a", "b", "c"} {
		if rapid.IntRange(0, 2).Draw(t, key+"?") > 0 {
			m[key] = aValue(t, depth)
		}
	}
	return m
}

// A schema takes what Check takes, and refuses what it refuses.
func TestSchemaIsTheShape(t *testing.T) {
	taken := 0
	rapid.Check(t, func(t *rapid.T) {
		form, v := aMapping(t, 2), mappingOf(t, 2)
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		node, faults := yaml.Parse("x.yaml", string(text))
		if len(faults) > 0 {
			t.Fatal(faults)
		}
		schema := form.Schema(shape.Dialect{})
		found, refused := form.Check(node), compiled(t, schema).Validate(plain(t, text))
		if (len(found) > 0) != (refused != nil) {
			t.Errorf("%s: check finds %v, the schema %v", text, found, refused)
		}
		if refused == nil {
			taken++
		}
	})
	if taken == 0 {
		t.Error("no value was taken")
	}
}

// plain is a value as the validator wants it.
func plain(t rapid.TB, text []byte) any {
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Where variables stand for other texts, one that holds a variable is taken whatever it has to be.
func TestSchemaWithVariables(t *testing.T) {
	form := shape.Keys(shape.May("a", shape.Choice("x")), shape.May("b", shape.Whole(1).Or(shape.Form{Pattern: "^[0-9]+$"})))
	schema := compiled(t, form.Schema(shape.Dialect{Variable: `\$\{`}))
	for text, taken := range map[string]bool{
		`{"a":"${A}"}`: true, `{"a":"x"}`: true, `{"a":null}`: true, `{"a":"y"}`: false,
		`{"b":"${B}"}`: true, `{"b":1}`: true, `{"b":"1"}`: true, `{"b":0}`: false, `{"b":"x"}`: false,
	} {
		if err := schema.Validate(plain(t, []byte(text))); (err == nil) != taken {
			t.Errorf("%s: %v", text, err)
		}
	}
}
