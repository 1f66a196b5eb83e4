package config

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mooring/refresh/host"
	"mooring/refresh/host/google"
	"mooring/refresh/host/xlsx"
	"mooring/refresh/source"
	"mooring/refresh/source/cube"
	"mooring/refresh/source/postgres"
	"mooring/refresh/source/sqlite"
)

const secret = "0123456789abcdef0123456789abcdef"

// minimal is the shortest file that is whole.
const minimal = signing + "tenants: {acme: {deployments: {1: {}}}}\n"

// signing is what every file needs besides.
const signing = `
signing: {keys: [{id: main, algorithm: HS256, secret: 0123456789abcdef0123456789abcdef}]}
`

func environment(pairs ...string) Lookup {
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

func TestAsDocumented(t *testing.T) {
	env := environment("MOORING_SECRET", secret, "PG_URL", "postgres://u:p@db/shop", "CUBE_TOKEN", "t0ken")
	cfg, err := Parse("/etc/mooring/mooring.yaml", []byte(documented), env, drivers())
	if err != nil {
		t.Fatal(err)
	}
	acme := cfg.Tenants["acme"]
	got := map[string]any{
		"secret":           cfg.Signing.Keys[0].Secret,
		"hosts":            acme.Hosts,
		"timezone":         acme.Deployments[1].Location.String(),
		"no timezone":      acme.Deployments[2].Location.String(),
		"sqlite path":      acme.Deployments[1].Source.Config.(*sqlite.Config).Path,
		"url":              string(acme.Deployments[2].Source.Config.(*postgres.Config).URL),
		"timeout":          acme.Deployments[2].Source.Config.Bounds().StatementTimeout,
		"token":            string(acme.Deployments[3].Source.Config.(*cube.Config).Token),
		"xlsx dir":         acme.Spreadsheets.byName()["SHEETS_B"].Config.(*xlsx.Config).Dir,
		"credentials file": acme.Spreadsheets.byName()["SHEETS_A"].Config.(*google.Config).CredentialsFile,
	}
	want := map[string]any{
		"secret":           secret,
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
	if _, err := cfg.Keyring(); err != nil {
		t.Errorf("keyring: %v", err)
	}
}

func TestAddresses(t *testing.T) {
	for _, listen := range []string{"listen: 127.0.0.1:8080", "listen: :0", "listen: 10.0.0.1:9090"} {
		cfg, err := Parse("mooring.yaml", []byte(minimal+listen+"\nops: {listen: '127.0.0.1:9090'}\n"), environment(), drivers())
		if err != nil {
			t.Errorf("%s: %v", listen, err)
		} else if cfg.Ops.Listen != "127.0.0.1:9090" {
			t.Errorf("ops.listen is %q", cfg.Ops.Listen)
		}
	}
}

func TestDefaults(t *testing.T) {
	cfg, err := Parse("mooring.yaml", []byte(minimal), environment(), drivers())
	if err != nil {
		t.Fatal(err)
	}
	got := []any{cfg.Listen, cfg.Redis, cfg.Partitions, cfg.Signing.Issuer, cfg.Embedded()}
	want := []any{"127.0.0.1:8080", "embedded", 16, "mooring", true}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestRelativePathsStartAtTheFile(t *testing.T) {
	for path, want := range map[string]string{"shop.db": "/etc/mooring/shop.db", "../x/shop.db": "/etc/x/shop.db", "/var/shop.db": "/var/shop.db", `""`: ""} {
		text := "tenants: {a: {deployments: {1: {source: {kind: sqlite, path: " + path + "}}}, " +
			"spreadsheets: {SHEETS_A: {kind: google, credentialsFile: " + path + "}, SHEETS_B: {kind: xlsx, dir: " + path + "}}}}\n"
		cfg, err := Parse("/etc/mooring/mooring.yaml", []byte(text), environment(), drivers())
		if err != nil {
			t.Fatal(err)
		}
		sheets := cfg.Tenants["a"].Spreadsheets.byName()
		got := []string{
			cfg.Tenants["a"].Deployments[1].Source.Config.(*sqlite.Config).Path,
			sheets["SHEETS_A"].Config.(*google.Config).CredentialsFile,
			sheets["SHEETS_B"].Config.(*xlsx.Config).Dir,
		}
		if diff := cmp.Diff([]string{want, want, want}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
}

func drivers() Drivers {
	return Drivers{
		Sources: Kinds[source.Config]{
			{Name: "sqlite", New: func() source.Config { return new(sqlite.Config) }},
			{Name: "postgres", New: func() source.Config { return new(postgres.Config) }},
			{Name: "cube", New: func() source.Config { return new(cube.Config) }},
		},
		Hosts: Kinds[host.Config]{
			{Name: "xlsx", New: func() host.Config { return new(xlsx.Config) }},
			{Name: "google", New: func() host.Config { return new(google.Config) }},
		},
	}
}
