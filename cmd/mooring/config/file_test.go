package config

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"mooring/refresh/source/postgres"
	"mooring/refresh/source/sqlite"

	"github.com/google/go-cmp/cmp"
)

// An expanded value stays the one scalar it is in, whatever it holds.
func TestExpansionInjectsNothing(t *testing.T) {
	for _, value := range []string{
		"a\nlisten: 0.0.0.0:1", `"}, extra: {a: 1`, "'", "*alias", "&anchor", "# comment", "| \n x", "{a: b}", "- x", "null", "true",
		"0x10", "${OTHER}", "%", "@", "\t", "é\u2028",
	} {
		t.Run(value, func(t *testing.T) {
			for _, form := range []string{`"${V}"`, `'${V}'`, "${V}"} {
				text := signing + "tenants:\n  acme:\n    deployments:\n      1:\n        source:\n          kind: sqlite\n          path: " + form + "\n"
				cfg, err := Parse("m.yaml", []byte(text), environment("V", value), drivers())
				if err != nil {
					t.Fatalf("%s: %v", form, err)
				}
				path := cfg.Tenants["acme"].Deployments[1].Source.Config.(*sqlite.Config).Path
				if path != value || cfg.Listen != DefaultListen {
					t.Errorf("%s: path %q, listen %q; want %q, %q", form, path, cfg.Listen, value, DefaultListen)
				}
			}
		})
	}
}

func TestExpansion(t *testing.T) {
	env := environment("N", "32", "HOST", "db", "PORT", "6380", "ON", "true", "EMPTY", "")
	text := `
redis: rediss://${HOST}:${PORT}/0
partitions: ${N}
signing: {keys: [{id: main, algorithm: HS256, secret: "0123456789abcdef0123456789abcdef${EMPTY}"}]}
tenants:
  acme:
    deployments:
      1: {source: {kind: postgres, url: "postgres://${HOST}", rowSecurity: "${ON}", maxRows: "${N}"}}
      2:
        timezone: &zone Europe/Berlin
        source: {kind: sqlite, path: /abs/x.db}
      3: {timezone: *zone, webhooks: [{url: "https://${HOST}.example.com/hook", secret: "0123456789${HOST}0123456789ab"}]}
`
	cfg, err := Parse("m.yaml", []byte(text), env, drivers())
	if err != nil {
		t.Fatal(err)
	}
	d := cfg.Tenants["acme"].Deployments
	postgres, sqlite := d[1].Source.Config.(*postgres.Config), d[2].Source.Config.(*sqlite.Config)
	got := []any{
		cfg.Redis, cfg.Partitions, postgres.RowSecurity, postgres.MaxRows, sqlite.Path, d[3].Location.String(),
		d[3].Recipients[0].URL,
	}
	want := []any{"rediss://db:6380/0", 32, true, 32, "/abs/x.db", "Europe/Berlin", "https://db.example.com/hook"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Whatever a file holds, it is either refused or fit for every later step; nothing panics.
func FuzzParse(f *testing.F) {
	f.Add(documented, "x")
	f.Add(minimal, "")
	f.Add("a: &a [*a]\ntenants: *a\n", "y")
	f.Add("tenants: {a: {<<: *b, deployments: {1: {timezone: ${V}}}}}", "UTC")
	f.Add("? [a]\n: b\n", "")
	f.Add("signing: !!str {keys: [null]}", "")
	f.Fuzz(func(t *testing.T, text, value string) {
		env := func(name string) (string, bool) { return value, !strings.HasPrefix(name, "NO") }
		cfg, err := Parse(filepath.Join(t.TempDir(), "m.yaml"), []byte(text), env, drivers())
		if (cfg == nil) == (err == nil) {
			t.Fatalf("config %v, error %v: want exactly one", cfg, err)
		}
		if err != nil {
			if err.Error() == "" {
				t.Fatal("an error without a message")
			}
			return
		}
		for name := range maps.Keys(cfg.Tenants) {
			if !tenantName.MatchString(name) || len(cfg.Tenants[name].Deployments) == 0 {
				t.Errorf("tenant %q passed", name)
			}
			for id, d := range cfg.Tenants[name].Deployments {
				if d.Location == nil {
					t.Errorf("deployment %d has no location", id)
				}
			}
		}
	})
}

func TestKeysSideBySideAreBounded(t *testing.T) {
	var text strings.Builder
	text.WriteString(minimal + "x:\n")
	for i := range 40_000 {
		fmt.Fprintf(&text, "  k%d: v\n", i)
	}
	_, err := Parse("mooring.yaml", []byte(text.String()), environment(), drivers())
	if err == nil || !regexp.MustCompile(`^mooring.yaml:50\d\d:\d+: more keys stand side by side [^\n]*$`).MatchString(err.Error()) {
		t.Errorf("got %.300v, want one fault behind 5,000 keys", err)
	}
}

func TestVeryManyDocumentsAreSaidAsDocuments(t *testing.T) {
	_, err := Parse("mooring.yaml", []byte(strings.Repeat("---\na: 1\n", 101)), environment(), drivers())
	if err == nil || err.Error() != "mooring.yaml:3:1: a second YAML document: keep everything in one" {
		t.Errorf("got %v", err)
	}
}
