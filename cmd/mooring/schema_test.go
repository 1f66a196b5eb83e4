package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mooring/cmd/mooring/config"
	"mooring/cmd/mooring/process"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"
)

// printedSchema is what mooring schema prints of a kind, as a validator has it.
func printedSchema(t *testing.T, kind string) *jsonschema.Schema {
	t.Helper()
	status, text, stderr := mooring(t, "schema", kind)
	if status != process.ExitDone {
		t.Fatal(stderr)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(kind+".json", fromJSON(t, text)); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile(kind + ".json") // which finds it to be one of its draft
	if err != nil {
		t.Fatal(err)
	}
	if schema.DraftVersion != 2020 || schema.Title == "" || schema.Description == "" {
		t.Errorf("%s: draft %d, title %q, description %q", kind, schema.DraftVersion, schema.Title, schema.Description)
	}
	return schema
}

func fromJSON(t rapid.TB, text string) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Each kind of file has a schema, and --write puts all of them where files that a pull makes look.
func TestSchemas(t *testing.T) {
	t.Parallel()
	kinds := []string{"project", "report", "placements", "schedule", "workbook", "config"}
	for _, kind := range kinds {
		printedSchema(t, kind)
	}
	dir := writeProject(t, sampleProject())
	status, out, stderr := mooring(t, "schema", "--write", "--dir", dir)
	if status != process.ExitDone || strings.Count(out, "\n") != len(kinds) {
		t.Fatalf("status %d: %s%s", status, out, stderr)
	}
	_, printed, _ := mooring(t, "schema", "report")
	if text, err := os.ReadFile(filepath.Join(dir, ".mooring", "report.schema.json")); err != nil || string(text) != printed {
		t.Errorf("%v, %s", err, text)
	}
	if status, out, stderr := mooring(t, "validate", dir); status != process.ExitDone {
		t.Errorf("a project with schemas: status %d, %s%s", status, out, stderr)
	}
	for _, args := range [][]string{{"schema"}, {"schema", "letter"}} {
		if status, _, _ := mooring(t, args...); status != process.ExitUsage {
			t.Errorf("%v: status %d", args, status)
		}
	}
	if status, _, stderr := mooring(t, "schema", "--write", "--dir", t.TempDir()); status != process.ExitFailed || !strings.Contains(stderr, "mooring init") {
		t.Errorf("elsewhere: status %d, %s", status, stderr)
	}
}

// An editor knows what a report may ask for, and what a placement may say of it.
func TestSchemasKnowParameters(t *testing.T) {
	t.Parallel()
	reports, blocks := printedSchema(t, "report"), printedSchema(t, "placements")
	for _, tt := range []struct {
		of   *jsonschema.Schema
		text string
		want bool
	}{
		{reports, `[{"name":"region","title":"Region","type":"text","list":true,"default":["North"],"allowed":["North"],"fromCells":true}]`, true},
		{reports, `[{"name":"n","type":"number","default":1}]`, true},
		{reports, `[{"name":"n"}]`, false},
		{reports, `[{"name":"n","type":"integer"}]`, false},
		{reports, `[{"name":"n","type":"number","fromCell":true}]`, false},
		{reports, `{"n":{"value":1}}`, false},
		{blocks, `{"region":{"cell":"Setup!B2"},"from":{"value":"2026-01-01"},"ids":{"value":[1,2]}}`, true},
		{blocks, `{"region":{"cells":"Setup!B2"}}`, false},
		{blocks, `{"region":"North"}`, false},
		{blocks, `[{"name":"region","type":"text"}]`, false},
	} {
		text := `{"publicId":"SalesByRegio","name":"Sales","parameters":` + tt.text + `}`
		if tt.of == blocks {
			text = `{"document":"board.xlsx","items":[{"report":"SalesByRegio","sheet":"Data","at":"A5","parameters":` + tt.text + `}]}`
		}
		if err := tt.of.Validate(fromJSON(t, text)); (err == nil) != tt.want {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// wholeConfig is a configuration that says something under many keys, as JSON.
const wholeConfig = `{"listen":"127.0.0.1:0","ops":{"listen":"127.0.0.1:1"},"redis":"embedded","partitions":4,` +
	`"limits":{"requestsPerMinute":60,"resultsInMemory":"1GiB"},"cors":{"origins":["https://a.example.com"]},"trustedProxies":["10.0.0.0/8"],` +
	`"addin":{"csp":{"connect-src":["https://a.example.com"]}},"log":{"level":"info","format":"json"},` +
	`"signing":{"keys":[{"id":"main","algorithm":"HS256","secret":"0123456789abcdef0123456789abcdef"}]},` +
	`"hooks":[{"id":"h","tenant":"acme","deployment":1,"schedule":"daily","secret":"0123456789abcdef0123456789abcdef","kind":"dbt"}],` +
	`"tenants":{"acme":{"hosts":["acme.example.com"],"deployments":{"1":{"timezone":"UTC","source":{"kind":"sqlite","path":"x.db",` +
	`"statementTimeout":"5s","maxBytes":"1MiB","freshness":[{"query":"SELECT 1","every":"5s"}]}},"2":{"source":{"kind":"postgres","url":"postgres://x/y","wireOnly":true}},"3":{"source":{"kind":"mysql","url":"mysql://x/y","tls":"off","ca":"ca.pem"}},"4":{"source":{"kind":"files","dir":"data","maxRows":10}}},` +
	`"spreadsheets":[{"name":"share","kind":"xlsx","dir":"sheets","documents":{"1":["*.xlsx"]}}]}}}`

// changedPart draws a value with one of its parts replaced, taken away, or joined by another.
func changedPart(t *rapid.T, v any) any {
	other := rapid.SampledFrom([]any{
		nil, true, "true", json.Number("0"), json.Number("7"), "7", "a", "5s", "1MiB", "${NAME}",
		[]any{},
		[]any{"a"},
		map[string]any{},
		map[string]any{"kind": "xlsx"},
		map[string]any{"excel": map[string]any{"kind": "xlsx", "dir": "x"}},
	})
	switch v := v.(type) {
	case map[string]any:
		keys := slices.Sorted(maps.Keys(v))
		if len(keys) == 0 || rapid.IntRange(0, 6).Draw(t, "here?") == 0 {
			return other.Draw(t, "other")
		}
		copied, key := maps.Clone(v), rapid.SampledFrom(keys).Draw(t, "key")
		switch rapid.IntRange(0, 7).Draw(t, "what") {
		case 0:
			delete(copied, key)
		case 1:
			copied["x"+key] = v[key]
		default:
			copied[key] = changedPart(t, v[key])
		}
		return copied
	case []any:
		if len(v) == 0 || rapid.IntRange(0, 6).Draw(t, "here?") == 0 {
			return other.Draw(t, "other")
		}
		copied, i := slices.Clone(v), rapid.IntRange(0, len(v)-1).Draw(t, "item")
		copied[i] = changedPart(t, v[i])
		return copied
	}
	return other.Draw(t, "other")
}

// What a server starts with the schema takes; unknown keys and values of another kind it refuses, as the server does.
func TestSchemaOfTheConfigurationIsItsTable(t *testing.T) {
	t.Parallel()
	schema, counts := printedSchema(t, "config"), map[bool]int{}
	env := func(name string) (string, bool) { return "5", true }
	rapid.Check(t, func(t *rapid.T) {
		v := changedPart(t, fromJSON(t, wholeConfig))
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if _, mapping := v.(map[string]any); !mapping {
			return
		}
		cfg, err := config.Parse("mooring.yaml", text, env, process.Drivers())
		if err == nil && !ofKnownKinds(cfg) {
			return
		}
		refused := schema.Validate(fromJSON(t, string(text)))
		counts[refused == nil]++
		if err == nil && refused != nil {
			t.Errorf("a server starts with %s, the schema says %v", text, refused)
		}
		if err != nil && ofKinds(err) && refused == nil {
			t.Errorf("the schema takes %s, the server says %v", text, err)
		}
	})
	if counts[true] == 0 || counts[false] == 0 {
		t.Errorf("taken and refused: %v", counts)
	}
}

// ofKnownKinds reports whether a server knows the kinds of all sources and spreadsheets: one that it does not know it refuses as it opens them.
func ofKnownKinds(cfg *config.Config) bool {
	for _, t := range cfg.Tenants {
		for _, d := range t.Deployments {
			if d.Source != nil && d.Source.Config == nil {
				return false
			}
		}
		if slices.ContainsFunc(t.Spreadsheets, func(s config.HostEntry) bool { return s.Config == nil }) {
			return false
		}
	}
	return true
}

// ofKinds reports whether an error is about a key that is not known, or a value of another kind.
func ofKinds(err error) bool {
	return strings.Contains(err.Error(), "unknown key") || strings.Contains(err.Error(), "expected") && strings.Contains(err.Error(), ", found ")
}

// An editor says of every key of the configuration what it is for.
func TestSchemaOfTheConfigurationDescribesEveryKey(t *testing.T) {
	t.Parallel()
	_, text, _ := mooring(t, "schema", "config")
	undescribed(t, "", fromJSON(t, text))
}

// undescribed reports the keys without a description in a schema and below it.
func undescribed(t *testing.T, path string, schema any) {
	t.Helper()
	switch s := schema.(type) {
	case []any:
		for _, one := range s {
			undescribed(t, path, one)
		}
	case map[string]any:
		properties, _ := s["properties"].(map[string]any)
		for key, of := range properties {
			if of.(map[string]any)["description"] == nil && s["additionalProperties"] == false {
				t.Errorf("%s.%s is not described in config/schema_texts.go", path, key)
			}
			undescribed(t, path+"."+key, of)
		}
		for _, below := range []string{"items", "additionalProperties", "anyOf"} {
			undescribed(t, path, s[below])
		}
	}
}

// The choices that the schema knows are those that a server takes.
func TestSchemaOfTheConfigurationKnowsTheChoices(t *testing.T) {
	t.Parallel()
	schema := printedSchema(t, "config")
	for place, choices := range map[string][]string{
		`"level":"info"`: {"debug", "info", "warn", "error", "loud"}, `"format":"json"`: {"text", "json", "xml"},
		`"kind":"dbt"`: {"standard", "dbt", "fivetran", "other"},
	} {
		key, _, _ := strings.Cut(place, ":")
		for _, choice := range choices {
			text := strings.Replace(wholeConfig, place, fmt.Sprintf("%s:%q", key, choice), 1)
			_, err := config.Parse("mooring.yaml", []byte(text), func(string) (string, bool) { return "", false }, process.Drivers())
			if refused := schema.Validate(fromJSON(t, text)); (err == nil) != (refused == nil) {
				t.Errorf("%s %s: the server says %v, the schema %v", key, choice, err, refused)
			}
		}
	}
}
