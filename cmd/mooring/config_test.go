package main

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mooring/placements"

	"mooring/refresh/host/google"
	"mooring/refresh/host/rest"
	"mooring/refresh/host/xlsx"

	"mooring/refresh/source/cube"
	"mooring/refresh/source/postgres"
	"mooring/refresh/source/sqlite"
	"mooring/storage"
)

const testSecret = "0123456789abcdef0123456789abcdef"

// minimal is the shortest file that is whole.
const minimal = `
signing: {keys: [{id: main, algorithm: HS256, secret: 0123456789abcdef0123456789abcdef}]}
tenants: {acme: {deployments: {1: {}}}}
`

func environment(pairs ...string) lookup {
	env := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		env[pairs[i]] = pairs[i+1]
	}
	return func(name string) (string, bool) { value, set := env[name]; return value, set }
}

// The file of decisions.md §9, with every form it shows.
const documented = `
listen: 127.0.0.1:8080
redis: embedded
partitions: 16
signing:
  issuer: mooring
  keys:                          # first signs, all verify
    - {id: main, algorithm: HS256, secret: "${MOORING_SECRET}"}
tenants:
  acme:
    hosts: [acme.example.com]
    deployments:
      1: {timezone: Europe/Berlin, source: {kind: sqlite, path: shop.db}}
      2: {source: {kind: postgres, url: "${PG_URL}", statementTimeout: 60s}}
      3: {source: {kind: cube, url: "https://cube.example.com/cubejs-api", token: "${CUBE_TOKEN}"}}
    spreadsheets:
      SHEETS_A: {kind: google, credentialsFile: sa.json}
      SHEETS_B: {kind: xlsx, dir: ./sheets}
`

func TestConfigAsDocumented(t *testing.T) {
	env := environment("MOORING_SECRET", testSecret, "PG_URL", "postgres://u:p@db/shop", "CUBE_TOKEN", "t0ken")
	cfg, err := parseConfig("/etc/mooring/mooring.yaml", []byte(documented), env, drivers())
	if err != nil {
		t.Fatal(err)
	}
	acme := cfg.Tenants["acme"]
	got := map[string]any{
		"secret":           cfg.Signing.Keys[0].Secret,
		"hosts":            acme.Hosts,
		"timezone":         acme.Deployments[1].location.String(),
		"no timezone":      acme.Deployments[2].location.String(),
		"sqlite path":      acme.Deployments[1].Source.Config.(*sqlite.Config).Path,
		"url":              string(acme.Deployments[2].Source.Config.(*postgres.Config).URL),
		"timeout":          acme.Deployments[2].Source.Config.Bounds().StatementTimeout,
		"token":            string(acme.Deployments[3].Source.Config.(*cube.Config).Token),
		"xlsx dir":         acme.Spreadsheets[placements.SheetsB].Config.(*xlsx.Config).Dir,
		"credentials file": acme.Spreadsheets[placements.SheetsA].Config.(*google.Config).CredentialsFile,
	}
	want := map[string]any{
		"secret":           testSecret,
		"hosts":            []string{"acme.example.com"},
		"timezone":         "Europe/Berlin",
		"no timezone":      "UTC",
		"sqlite path":      "/etc/mooring/shop.db",
		"url":              "postgres://u:p@db/shop",
		"timeout":          time.Minute,
		"token":            "t0ken",
		"xlsx dir":         "/etc/mooring/sheets",
		"credentials file": "/etc/mooring/sa.json",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := cfg.keyring(); err != nil {
		t.Errorf("keyring: %v", err)
	}
}

func TestDocumentsOfTheConfiguration(t *testing.T) {
	for _, tc := range []struct {
		fact, documents      string
		one, secret, another bool // may deployment 1 place in sales-1 and in secret, and deployment 2 in sales-1
	}{
		{"without documents it is all", "", true, true, true},
		{"a deployment has the documents that its patterns name", "documents: {1: ['sales-*']}", true, false, false},
		{"each has its own", "documents: {1: ['secret'], 2: ['sales-?']}", false, true, true},
		{"a deployment that is not named has none", "documents: {}", false, false, false},
	} {
		t.Run(tc.fact, func(t *testing.T) {
			text := "tenants: {a: {deployments: {1: {}, 2: {}}, spreadsheets: {SHEETS_B: {kind: xlsx, dir: d, " + tc.documents + "}}}}\n"
			cfg, err := parseConfig("/somewhere/m.yaml", []byte(text), environment(), drivers())
			if err != nil {
				t.Fatal(err)
			}
			allow := func(deployment int64, id string) bool {
				return cfg.documents()[storage.Deployment{Tenant: "a", ID: deployment}].Allow(placements.SheetsB, id)
			}
			if got := []bool{allow(1, "sales-1"), allow(1, "secret"), allow(2, "sales-1")}; got[0] != tc.one || got[1] != tc.secret || got[2] != tc.another {
				t.Errorf("got %v, want %t %t %t", got, tc.one, tc.secret, tc.another)
			}
			if dir := cfg.Tenants["a"].Spreadsheets[placements.SheetsB].Config.(*xlsx.Config).Dir; dir != "/somewhere/d" {
				t.Errorf("dir is %s", dir)
			}
		})
	}
}

// What the README shows to be copied is accepted.
func TestConfigOfREADME(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "```yaml\n")
	example, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatal("the README shows no configuration")
	}
	env := environment("MOORING_SECRET", testSecret, "PG_URL", "postgres://db/shop", "HOOK_SECRET", testSecret)
	if _, err := parseConfig("mooring.yaml", []byte(example), env, drivers()); err != nil {
		t.Error(err)
	}
}

func TestConfigDefaults(t *testing.T) {
	cfg, err := parseConfig("mooring.yaml", []byte(minimal), environment(), drivers())
	if err != nil {
		t.Fatal(err)
	}
	got := []any{cfg.Listen, cfg.Redis, cfg.Partitions, cfg.Signing.Issuer, cfg.embedded()}
	want := []any{"127.0.0.1:8080", "embedded", 16, "mooring", true}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestConfigFaults(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string // what the lines of the error begin with, or hold
	}{
		{"an unknown key is refused with its place", minimal + "lisen: x\n", []string{`m.yaml:4:1: unknown key "lisen"`}},
		{"an unknown key deep inside, too", minimal + "\nredis: embedded\n" + "partitions: 4\nsigning2: {a: 1}\n", []string{`m.yaml:7:1: unknown key "signing2"`}},
		{"a mapping merged into itself is refused", "tenants: &t {<<: *t}\n", []string{"m.yaml:1:18: *t names no value above it"}},
		{"a wrongly cased key is told its spelling", minimal + "Listen: x\n", []string{`m.yaml:4:1: unknown key "Listen": it is written listen`}},
		{"every fault is told at once, in order", "listn: a\npartitions: x\ntenants: [a]\n", []string{
			`m.yaml:1:1: unknown key "listn"`, "m.yaml:2:13: expected a whole number, found text", "m.yaml:3:10: expected keys and values, found a list",
		}},
		{"a fraction is no whole number", minimal + "partitions: 1.5\n", []string{"m.yaml:4:13: expected a whole number"}},
		{"a list is no text", minimal + "listen: [a]\n", []string{"m.yaml:4:9: expected text, found a list"}},
		{"a text is no list", minimal + "signing: {keys: main}\n", []string{`mapping key "signing" already defined`}},
		{"broken YAML has its place", "a: b: c\n", []string{"m.yaml:1:4: "}},
		{"a key twice", "listen: a\nlisten: b\n", []string{"m.yaml:2:1: "}},
		{"a tenant twice", "tenants:\n  acme: {}\n  acme: {}\n", []string{"m.yaml:3:3: "}},
		{"a second document", minimal + "---\nlisten: x\n", []string{"a second YAML document"}},
		{"an empty file lacks tenants", "", []string{"m.yaml: tenants: at least one is needed"}},
		{"a file of comments, too", "# nothing\n", []string{"m.yaml: tenants: at least one is needed"}},
		{"a text is no file", "hello\n", []string{"m.yaml:1:1: expected keys and values, found text"}},
		{"an unset variable is named, with its place", minimal + "listen: ${NOWHERE}\n", []string{"m.yaml:4:9: the environment variable NOWHERE is not set"}},
		{"every unset variable is", minimal + "listen: ${ONE}\nredis: redis://${TWO}:${THREE}/0\n", []string{"ONE is not set", "TWO is not set", "THREE is not set"}},
		{"half a reference is refused", minimal + "listen: \"${\"\n", []string{"m.yaml:4:9: ${ is no reference"}},
		{"a reference with a bad name is refused", minimal + "listen: \"${A B}\"\n", []string{"${A B} is no reference"}},
		{"an address without a port", minimal + "listen: localhost\n", []string{"m.yaml:4:9: listen: expected an address with a port"}},
		{"too many partitions", minimal + "partitions: 5000\n", []string{"m.yaml:4:13: partitions: expected 1 to 1024"}},
		{"no redis", minimal + "redis: \"\"\n", []string{"m.yaml:4:8: redis: expected"}},
		{
			"one host name, two tenants",
			"tenants:\n  a: {hosts: [x.example.com], deployments: {1: {}}}\n  b: {hosts: [X.Example.Com], deployments: {1: {}}}\n",
			[]string{"m.yaml:3:15: host x.example.com is given to the tenants a and b"},
		},
		{"a URL is no host name", "tenants: {a: {hosts: ['https://x/'], deployments: {1: {}}}}\n", []string{`m.yaml:1:23: tenant a: "https://x/" is no host name`}},
		{"a tenant's name stands in keys", "tenants: {'a{b}': {deployments: {1: {}}}}\n", []string{`tenant "a{b}": a name has`}},
		{"a tenant without deployments", "tenants: {a: {}}\n", []string{"m.yaml:1:14: tenant a: at least one deployment is needed"}},
		{"a deployment number below 1", "tenants: {a: {deployments: {0: {}}}}\n", []string{"deployment 0: numbers start at 1"}},
		{"a deployment's key is a number", "tenants: {a: {deployments: {main: {}}}}\n", []string{"m.yaml:1:29: expected a whole number, found text"}},
		{"no such time zone", "tenants: {a: {deployments: {1: {timezone: Mars/Olympus}}}}\n", []string{`m.yaml:1:43: deployment 1: "Mars/Olympus" is no time zone`}},
		{"the machine's own time zone is none", "tenants: {a: {deployments: {1: {timezone: Local}}}}\n", []string{`"Local" is no time zone`}},
		{"no such spreadsheet host", "tenants: {a: {deployments: {1: {}}, spreadsheets: {SHEETS_C: {kind: xlsx}}}}\n", []string{"expected SHEETS_A or SHEETS_B"}},
		{
			"documents of a deployment that is none", "tenants: {a: {deployments: {1: {}}, spreadsheets: {SHEETS_B: {kind: xlsx, dir: d, documents: {2: [x]}}}}}\n",
			[]string{"m.yaml:1:98: documents: there is no deployment 2"},
		},
		{
			"a pattern of documents that is none",
			"tenants:\n  a:\n    deployments: {1: {}}\n    spreadsheets:\n      SHEETS_B:\n        documents:\n          1: ['ok-*', '[a-', '']\n",
			[]string{`m.yaml:7:23: documents: "[a-" is no pattern`, "m.yaml:7:30: documents: a pattern is empty"},
		},
		{
			"documents are lists by deployment", "tenants: {a: {deployments: {1: {}}, spreadsheets: {SHEETS_B: {documents: {one: '*'}}}}}\n",
			[]string{"m.yaml:1:75: expected a whole number, found text", "m.yaml:1:80: expected a list, found text"},
		},
		{"a duration without a unit", "tenants: {a: {deployments: {1: {source: {kind: sqlite, statementTimeout: 60}}}}}\n", []string{"m.yaml:1:74: expected a duration with its unit"}},
		{"a duration that is none", "tenants: {a: {deployments: {1: {source: {kind: sqlite, statementTimeout: soon}}}}}\n", []string{"m.yaml:1:74: expected a duration with its unit"}},
		{"a webhook needs an address", "tenants: {a: {deployments: {1: {webhooks: [{url: x, secret: 012345678901234567890123}]}}}}\n", []string{"m.yaml:1:44: webhook: url: needs an http or https address"}},
		{"a webhook's secret is long", "tenants: {a: {deployments: {1: {webhooks: [{url: 'https://x.example.com', secret: hunter2}]}}}}\n", []string{"m.yaml:1:44: webhook: secret: needs at least 24 bytes"}},
		{"a key of another kind is refused with its place", "tenants: {a: {deployments: {1: {source: {kind: sqlite, path: x, token: y}}}}}\n", []string{`m.yaml:1:65: unknown key "token": known here are kind, maxBytes, maxCells, maxConnections, maxRows, path, statementTimeout`}},
		{"a wrongly cased key of a kind is told its spelling", "tenants: {a: {deployments: {1: {}}, spreadsheets: {SHEETS_A: {kind: google, CredentialsFile: y}}}}\n", []string{`m.yaml:1:77: unknown key "CredentialsFile": it is written credentialsFile`}},
		{"a key that a merged mapping brings is the kind's, too", "tenants: {a: {deployments: {1: {source: &s {kind: sqlite, path: x}}, 2: {source: {<<: *s, url: y}}}}}\n", []string{`m.yaml:1:91: unknown key "url"`}},
		{"a number is no truth value", "tenants: {a: {deployments: {1: {source: {kind: postgres, rowSecurity: 7}}}}}\n", []string{"m.yaml:1:71: expected true or false, found a number"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := parseConfig("/somewhere/m.yaml", []byte(tt.text), environment(), drivers())
			if err == nil {
				t.Fatal("no error")
			}
			got := strings.Split(err.Error(), "\n")
			for i, want := range tt.want {
				if i >= len(got) || !strings.Contains(err.Error(), want) {
					t.Errorf("error\n%s\nwant in it %q", err, want)
				}
			}
			if len(got) != len(tt.want) {
				t.Errorf("error\n%s\nhas %d lines, want %d", err, len(got), len(tt.want))
			}
		})
	}
}

func TestConfigKeyFaults(t *testing.T) {
	dir := t.TempDir()
	private, public := edDSAFiles(t, dir)
	tests := []struct{ name, keys, want string }{
		{"a short secret is refused by its length only", `{id: k, algorithm: HS256, secret: hunter2hunter2}`, "the secret has 14 bytes, HS256 needs at least 32"},
		{"a missing secret is refused", `{id: k, algorithm: HS256}`, "the secret has 0 bytes"},
		{"no algorithm is unsigned", `{id: k, algorithm: none, secret: ` + testSecret + `}`, "a secret goes with HS256"},
		{"an unknown algorithm", `{id: k, algorithm: HS1}`, `algorithm "HS1" is none of HS256, EdDSA, RS256`},
		{"a secret beside a key file", `{id: k, algorithm: EdDSA, secret: x, publicKeyFile: ` + public + `}`, "a secret goes with HS256"},
		{"a key file beside a secret", `{id: k, algorithm: HS256, secret: ` + testSecret + `, publicKeyFile: ` + public + `}`, "HS256 takes a secret and no key files"},
		{"no key at all", `{id: k, algorithm: RS256}`, "neither a private nor a public key"},
		{"a missing file is named", `{id: k, algorithm: EdDSA, privateKeyFile: gone.pem}`, "gone.pem"},
		{"another kind of key", `{id: k, algorithm: RS256, privateKeyFile: ` + private + `}`, "private key"},
		{"no id", `{algorithm: HS256, secret: ` + testSecret + `}`, "ids must be set"},
		{"an id twice", `{id: k, algorithm: EdDSA, publicKeyFile: ` + public + `}, {id: k, algorithm: EdDSA, publicKeyFile: ` + public + `}`, `signing key "k" is there twice`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := "signing: {keys: [" + tt.keys + "]}\ntenants: {a: {deployments: {1: {}}}}\n"
			_, err := parseConfig(filepath.Join(dir, "m.yaml"), []byte(text), environment(), drivers())
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "m.yaml:1:") {
				t.Errorf("error %v, want one on line 1 with %q", err, tt.want)
			}
			if err != nil && strings.Contains(err.Error(), "hunter2") {
				t.Errorf("error %v holds the secret", err)
			}
		})
	}
}

func TestConfigKeyFiles(t *testing.T) {
	dir := t.TempDir()
	edDSAFiles(t, dir)
	tests := []struct {
		name, key string
		signs     bool
	}{
		{"a private key signs", `{id: k, algorithm: EdDSA, privateKeyFile: private.pem}`, true},
		{"a public key only verifies", `{id: k, algorithm: EdDSA, publicKeyFile: public.pem}`, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := "signing: {keys: [" + tt.key + "]}\ntenants: {a: {deployments: {1: {}}}}\n"
			name := filepath.Join(dir, "m.yaml")
			writeFile(t, name, text)
			code, stdout, stderr := mooring(t, "key", "create", "--config", name, "--tenant", "a", "--user", "7", "--no-actions")
			if (code == exitDone) != tt.signs {
				t.Errorf("key create: status %d, %q, %q; signs: want %v", code, stdout, stderr, tt.signs)
			}
		})
	}
}

// An expanded value stays the one scalar it is in, whatever it holds.
func TestConfigExpansionInjectsNothing(t *testing.T) {
	for _, value := range []string{
		"a\nlisten: 0.0.0.0:1", `"}, extra: {a: 1`, "'", "*alias", "&anchor", "# comment", "| \n x", "{a: b}", "- x", "null", "true", "0x10", "${OTHER}", "%", "@", "\t", "é\u2028",
	} {
		t.Run(value, func(t *testing.T) {
			for _, form := range []string{`"${V}"`, `'${V}'`, "${V}"} {
				text := minimal + "redis: " + form + "\n"
				cfg, err := parseConfig("m.yaml", []byte(text), environment("V", value), drivers())
				if err != nil {
					t.Fatalf("%s: %v", form, err)
				}
				if cfg.Redis != value || cfg.Listen != defaultListen {
					t.Errorf("%s: redis %q, listen %q; want %q, %q", form, cfg.Redis, cfg.Listen, value, defaultListen)
				}
			}
		})
	}
}

func TestConfigExpansion(t *testing.T) {
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
	cfg, err := parseConfig("m.yaml", []byte(text), env, drivers())
	if err != nil {
		t.Fatal(err)
	}
	d := cfg.Tenants["acme"].Deployments
	postgres, sqlite := d[1].Source.Config.(*postgres.Config), d[2].Source.Config.(*sqlite.Config)
	got := []any{cfg.Redis, cfg.Partitions, postgres.RowSecurity, postgres.MaxRows, sqlite.Path, d[3].location.String(), d[3].webhooks[0].URL}
	want := []any{"rediss://db:6380/0", 32, true, 32, "/abs/x.db", "Europe/Berlin", "https://db.example.com/hook"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Sources and hosts are opened by the commands that use them; what is wrong with them has its place, too.
func TestOpenFleetFaults(t *testing.T) {
	dir := t.TempDir()
	text := minimal + `
`
	text = strings.Replace(text, "{1: {}}", "{1: {source: {kind: oracle}}, 2: {source: {kind: sqlite}}}, spreadsheets: {SHEETS_B: {kind: xlsx, dir: gone}}", 1)
	cfg, err := parseConfig(filepath.Join(dir, "m.yaml"), []byte(text), environment(), drivers())
	if err != nil {
		t.Fatal(err)
	}
	_, err = openFleet(t.Context(), cfg, &rest.Buckets{})
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{`source: kind: "oracle" is unknown`, "source: path: missing", "spreadsheets SHEETS_B: "} {
		if !strings.Contains(err.Error(), "m.yaml:3:") || !strings.Contains(err.Error(), want) {
			t.Errorf("error\n%v\nwant line 3 and %q", err, want)
		}
	}
}

func TestServedTenants(t *testing.T) {
	text := "tenants: {b: {hosts: [B.Example.com, localhost], deployments: {2: {}, 1: {}}}}\n"
	cfg, err := parseConfig("m.yaml", []byte(text), environment(), drivers())
	if err != nil {
		t.Fatal(err)
	}
	got := cfg.served()
	if diff := cmp.Diff([]string{"b.example.com", "localhost"}, got["b"].Hosts); diff != "" {
		t.Errorf("hosts (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int64{1, 2}, got["b"].Deployments); diff != "" {
		t.Errorf("deployments (-want +got):\n%s", diff)
	}
}

// Whatever a file holds, it is either refused or good for every later step; nothing panics.
func FuzzConfig(f *testing.F) {
	f.Add(documented, "x")
	f.Add(minimal, "")
	f.Add("a: &a [*a]\ntenants: *a\n", "y")
	f.Add("tenants: {a: {<<: *b, deployments: {1: {timezone: ${V}}}}}", "UTC")
	f.Add("? [a]\n: b\n", "")
	f.Add("signing: !!str {keys: [null]}", "")
	f.Fuzz(func(t *testing.T, text, value string) {
		env := func(name string) (string, bool) { return value, !strings.HasPrefix(name, "NO") }
		cfg, err := parseConfig(filepath.Join(t.TempDir(), "m.yaml"), []byte(text), env, drivers())
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
				if d.location == nil {
					t.Errorf("deployment %d has no location", id)
				}
			}
		}
	})
}

// edDSAFiles writes a fresh pair of keys as private.pem and public.pem and returns their names.
func edDSAFiles(t *testing.T, dir string) (private, public string) {
	t.Helper()
	pub, priv, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	privDER, err := x509.MarshalPKCS8PrivateKey(priv)
	if err != nil {
		t.Fatal(err)
	}
	pubDER, err := x509.MarshalPKIXPublicKey(pub)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "private.pem"), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: privDER})))
	writeFile(t, filepath.Join(dir, "public.pem"), string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: pubDER})))
	return "private.pem", "public.pem"
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
