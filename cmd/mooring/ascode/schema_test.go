package ascode

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"mooring/cmd/mooring/yaml"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"
)

// validator compiles the schema of a kind of files, which the compiler finds to be one of its draft.
func validator(t testing.TB, kind string) *jsonschema.Schema {
	t.Helper()
	text, err := json.Marshal(Schema(kind))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(kind+".json", parsed(t, string(text))); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile(kind + ".json")
	if err != nil {
		t.Fatal(err)
	}
	if schema.DraftVersion != 2020 {
		t.Errorf("%s: draft %d", kind, schema.DraftVersion)
	}
	return schema
}

func parsed(t rapid.TB, text string) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// An editor says of every key what it is for.
func TestSchemasDescribeEveryKey(t *testing.T) {
	for _, kind := range SchemaKinds() {
		validator(t, kind)
		paths := shapeOf(schemaAsset(kind)).Paths()
		for _, path := range paths {
			if schemaTexts[kind].keys[path] == "" {
				t.Errorf("%s: %s is not described in schema_texts.go", kind, path)
			}
		}
		for path := range schemaTexts[kind].keys {
			if !slices.Contains(paths, path) {
				t.Errorf("%s: %s is described, and no key", kind, path)
			}
		}
	}
}

// wholeFiles are files that say something under most of their keys.
var wholeFiles = map[string]string{
	"project": `{"project":"finance","server":"https://acme.example.com","default":"dev","environments":{"dev":{"deployment":2,"ids":"derived",` +
		`"values":{"board":"x.xlsx"},"roles":{"viewers":12}},"prod":{"deployment":1}},"prune":{"limit":"10%"},"external":["OtherReport1"]}`,
	"report": `{"publicId":"StatesRegion","name":"Regions","source":"SHEETS_B","folderId":3,"protect":true,"rowKey":["a"],` +
		`"pivot":{"rows":["r"],"displayScale":"millions","showColumnTotals":true},"query":{"measures":["a"]},"access":{"viewers":["ReportRead"]},"meta":{}}`,
	"workbook":   `{"slug":"census","name":"Census","dashboard":{"title":"x","widgets":[{"id":"a"}],"layout":{}},"meta":{"a":1}}`,
	"placements": `{"document":"a.xlsx","host":"excel","items":[{"report":"StatesRegion","sheet":"S","at":"K2","onEdit":"keep","statusCell":"K1","fillRight":"N:O"}]}`,
	"schedule": `{"key":"weekdays","cron":["0 7 * * 1-5"],"timezone":"Europe/Berlin","target":{"report":"StatesRegion","document":"a","at":"S!K2"},` +
		`"jitterSeconds":5,"paused":false,"catchUp":"all"}`,
}

// changed draws a value with one of its parts replaced, taken away, or joined by another.
func changed(t *rapid.T, v any) any {
	here := rapid.IntRange(0, 3).Draw(t, "here?") == 0
	switch v := v.(type) {
	case map[string]any:
		keys := slices.Sorted(maps.Keys(v))
		if here || len(keys) == 0 {
			return strange(t, v)
		}
		copied, key := maps.Clone(v), rapid.SampledFrom(keys).Draw(t, "key")
		switch rapid.IntRange(0, 5).Draw(t, "what") {
		case 0:
			delete(copied, key)
		case 1:
			copied["x"+key] = v[key]
		default:
			copied[key] = changed(t, v[key])
		}
		return copied
	case []any:
		if here || len(v) == 0 {
			return strange(t, v)
		}
		copied, i := slices.Clone(v), rapid.IntRange(0, len(v)-1).Draw(t, "item")
		copied[i] = changed(t, v[i])
		return copied
	}
	return strange(t, v)
}

// strange draws what may stand anywhere.
func strange(t *rapid.T, v any) any {
	return rapid.SampledFrom([]any{
		v, nil, true, json.Number("0"), json.Number("7"), json.Number("1.5"), "", "a", "B2", "$b$2", "A0", "F:H", "S!B2", "StatesRegion", "10%", "7",
		[]any{},
		[]any{"a"},
		[]any{json.Number("1")},
		map[string]any{},
		map[string]any{"a": "b"},
		strings.Repeat("ä", 255), strings.Repeat("ä", 256),
	}).Draw(t, "strange")
}

// What the table of a kind takes its schema takes, and what the table refuses the schema refuses, but for texts of a form: of these it knows
// a pattern, and leaves the rest to validate.
func TestSchemasAreTheTables(t *testing.T) {
	for _, kind := range SchemaKinds() {
		t.Run(kind, func(t *testing.T) {
			schema, form, whole := validator(t, kind), shapeOf(schemaAsset(kind)), parsed(t, wholeFiles[kind])
			if err := schema.Validate(whole); err != nil {
				t.Fatal(err)
			}
			counts := map[bool]int{}
			rapid.Check(t, func(t *rapid.T) {
				v := whole
				for range rapid.IntRange(1, 2).Draw(t, "changes") {
					v = changed(t, v)
				}
				text := compact(v)
				node, faults := yaml.Parse("x.yaml", text)
				if len(faults) > 0 {
					t.Fatal(faults)
				}
				found, refused := form.Check(node), schema.Validate(parsed(t, text))
				counts[refused == nil]++
				if len(found) == 0 && refused != nil {
					t.Errorf("the table takes %s, the schema says %v", text, refused)
				}
				if ofShape(found) && refused == nil {
					t.Errorf("the schema takes %s, the table says %v", text, found)
				}
			})
			if counts[true] == 0 || counts[false] == 0 {
				t.Errorf("taken and refused: %v", counts)
			}
		})
	}
}

// ofShape reports whether one of the faults is not of the form of a text alone.
func ofShape(found []yaml.Fault) bool {
	return slices.ContainsFunc(found, func(f yaml.Fault) bool {
		if f.Rule == yaml.RuleKey {
			return true
		}
		for _, begin := range []string{"expected ", "has "} {
			if strings.HasPrefix(f.Message, begin) {
				return true
			}
		}
		return strings.Contains(f.Message, "is not known: write ") || strings.Contains(f.Message, "is not a whole number from")
	})
}

// A variable may stand for any text of project.yaml, for none of an asset's file.
func TestSchemasKnowVariables(t *testing.T) {
	project := strings.NewReplacer(`"derived"`, `"${IDS}"`, `"https://acme.example.com"`, `"${SERVER}"`, `:2,`, `:"${DEPLOYMENT}",`).Replace(wholeFiles["project"])
	if err := validator(t, "project").Validate(parsed(t, project)); err != nil {
		t.Error(err)
	}
	placements := strings.Replace(wholeFiles["placements"], `"keep"`, `"${KEEP}"`, 1)
	if validator(t, "placements").Validate(parsed(t, placements)) == nil {
		t.Error("a variable is taken where none is replaced")
	}
}

// A file that a pull makes leads an editor to its schema, wherever it stands.
func TestSchemaLine(t *testing.T) {
	for _, tt := range []struct{ kind, file, want string }{
		{"report", "reports/a.yaml", "../.mooring/report.schema.json"},
		{"placement", "placements/x/a.yaml", "../../.mooring/placements.schema.json"},
	} {
		if got := schemaLine(schemaAsset(tt.kind), tt.file); got != fmt.Sprintf("# yaml-language-server: $schema=%s\n", tt.want) {
			t.Errorf("%s: %s", tt.file, got)
		}
	}
}
