package config

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mooring/web/auth"
)

func TestFaults(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string // what the lines of the error begin with, or hold
	}{
		{"an unknown key is refused with its place", minimal + "lisen: x\n", []string{`m.yaml:4:1: unknown key "lisen"`}},
		{
			"an unknown key deep inside, too", minimal + "\nredis: embedded\n" + "partitions: 4\nsigning2: {a: 1}\n",
			[]string{`m.yaml:7:1: unknown key "signing2"`},
		},
		{"a mapping merged into itself is refused", "tenants: &t {<<: *t}\n", []string{"m.yaml:1:18: *t names no value above it"}},
		{
			"a wrongly cased key is told its spelling", minimal + "Listen: x\n",
			[]string{`m.yaml:4:1: unknown key "Listen": it is written listen`},
		},
		{"every fault is told at once, in order", "listn: a\npartitions: x\ntenants: [a]\n", []string{
			`m.yaml:1:1: unknown key "listn"`, "m.yaml:2:13: expected a whole number, found text",
			"m.yaml:3:10: expected keys and values, found a list",
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
		{
			"an unset variable is named, with its place", minimal + "listen: ${NOWHERE}\n",
			[]string{"m.yaml:4:9: the environment variable NOWHERE is not set"},
		},
		{
			"every unset variable is", minimal + "listen: ${ONE}\nredis: redis://${TWO}:${THREE}/0\n",
			[]string{"ONE is not set", "TWO is not set", "THREE is not set"},
		},
		{"half a reference is refused", minimal + "listen: \"${\"\n", []string{"m.yaml:4:9: ${ is no reference"}},
		{"a reference with a bad name is refused", minimal + "listen: \"${A B}\"\n", []string{"${A B} is no reference"}},
		{"an address without a port", minimal + "listen: localhost\n", []string{"m.yaml:4:9: listen: expected an address with a port"}},
		{"operators' address has a port", minimal + "ops: {listen: localhost}\n", []string{"m.yaml:4:15: ops.listen: expected an address with a port"}},
		{
			"and is not that of the interface", minimal + "listen: 127.0.0.1:9090\nops: {listen: '127.0.0.1:9090'}\n",
			[]string{"m.yaml:5:15: ops.listen: the HTTP interface has this address"},
		},
		{"nor a part of it", minimal + "listen: :9090\nops: {listen: '127.0.0.1:9090'}\n", []string{"m.yaml:5:15: ops.listen: the HTTP interface"}},
		{"nor the default", minimal + "ops: {listen: '[::]:8080'}\n", []string{"m.yaml:4:15: ops.listen: the HTTP interface"}},
		{"ops has no other key", minimal + "ops: {lisen: x}\n", []string{`m.yaml:4:7: unknown key "lisen"`}},
		{"too many partitions", minimal + "partitions: 5000\n", []string{"m.yaml:4:13: partitions: expected 1 to 1024"}},
		{
			"a provider of identities needs a tenant and known actions, and is told all at once",
			minimal + "oidc: {issuer: 'http://login.example.com', clientId: m, actions: {staff: [ReportReed]}}\n",
			[]string{"oidc: issuer: expected an https address", "oidc: tenantClaim: expected", `oidc: actions: group staff: there is no action "ReportReed"`},
		},
		{
			"an issuer of identities beside a list of them",
			minimal + "oidc:\n  clientId: m\n  issuers: [{issuer: 'https://i.example.com', clientId: m, tenant: acme, everyone: [All]}]\n",
			[]string{"m.yaml:5:3: oidc: this key is of an issuer without a list"},
		},
		{"a list of no issuers", minimal + "oidc: {issuers: []}\n", []string{"m.yaml:4:17: oidc: issuers: expected at least one"}},
		{
			"an issuer twice",
			minimal + "oidc:\n  issuers:\n    - &i {issuer: 'https://i.example.com', clientId: m, tenant: acme, everyone: [All]}\n    - *i\n",
			[]string{`oidc: the issuer "https://i.example.com" is there twice`},
		},
		{
			"accounts of any organization are no issuer",
			minimal + "oidc: {issuers: [{issuer: 'https://login.microsoftonline.com/common/v2.0', clientId: m, tenant: acme, everyone: [All]}]}\n",
			[]string{"m.yaml:4:18: oidc: issuer: common stands for accounts of any organization"},
		},
		{
			"tenants of issuers are there, one of three ways to name them is taken",
			minimal + "oidc: {issuers: [{issuer: 'https://i.example.com', clientId: m, tenant: acme, tenants: {a.example: rivals}, everyone: [All]}]}\n",
			[]string{"m.yaml:4:18: oidc: tenant, tenants and tenantClaim each say", `m.yaml:4:100: oidc: there is no tenant "rivals"`},
		},
		{
			"the tenant of an issuer is there", minimal + "oidc: {issuer: 'https://i.example.com', clientId: m, tenant: rivals, everyone: [All]}\n",
			[]string{`m.yaml:4:62: oidc: there is no tenant "rivals"`},
		},
		{"a key of an issuer in the list", minimal + "oidc: {issuers: [{clientID: m}]}\n", []string{`m.yaml:4:19: unknown key "clientID": it is written clientId`}},
		{"a role of a group is a number", minimal + "oidc: {roles: {staff: [viewers]}}\n", []string{"m.yaml:4:24: expected a whole number, found text"}},
		{"no redis", minimal + "redis: \"\"\n", []string{"m.yaml:4:8: redis: expected"}},
		{
			"a time that no Redis can be waited for", minimal + "redis: redis://127.0.0.1:6379?read_timeout=soon\n",
			[]string{`m.yaml:4:8: redis: read_timeout: "soon" is not a time longer than none, such as 10s or 500ms`},
		},
		{
			"one host name, two tenants",
			"tenants:\n  a: {hosts: [x.example.com], deployments: {1: {}}}\n  b: {hosts: [X.Example.Com], deployments: {1: {}}}\n",
			[]string{"m.yaml:3:15: host x.example.com is given to the tenants a and b"},
		},
		{
			"a URL is no host name", "tenants: {a: {hosts: ['https://x/'], deployments: {1: {}}}}\n",
			[]string{`m.yaml:1:23: tenant a: "https://x/" is no host name`},
		},
		{"a tenant's name stands in keys", "tenants: {'a{b}': {deployments: {1: {}}}}\n", []string{`tenant "a{b}": a name has`}},
		{"a tenant without deployments", "tenants: {a: {}}\n", []string{"m.yaml:1:14: tenant a: at least one deployment is needed"}},
		{"a deployment number below 1", "tenants: {a: {deployments: {0: {}}}}\n", []string{"deployment 0: numbers start at 1"}},
		{
			"a deployment's key is a number", "tenants: {a: {deployments: {main: {}}}}\n",
			[]string{"m.yaml:1:29: expected a whole number, found text"},
		},
		{
			"no such time zone", "tenants: {a: {deployments: {1: {timezone: Mars/Olympus}}}}\n",
			[]string{`m.yaml:1:43: deployment 1: "Mars/Olympus" is no time zone`},
		},
		{
			"the machine's own time zone is none", "tenants: {a: {deployments: {1: {timezone: Local}}}}\n",
			[]string{`"Local" is no time zone`},
		},
		{
			"no such spreadsheet host", "tenants: {a: {deployments: {1: {}}, spreadsheets: {SHEETS_C: {kind: xlsx}}}}\n",
			[]string{`spreadsheets "SHEETS_C": a mapping says google (SHEETS_A) or excel (SHEETS_B); hosts of other names are a list: - {name: SHEETS_C, kind: …}`},
		},
		{
			"a host word that is nearly one", "tenants: {a: {deployments: {1: {}}, spreadsheets: {Exel: {kind: xlsx}}}}\n",
			[]string{`m.yaml:1:58: tenant a: spreadsheets "Exel": write excel if you mean that`},
		},
		{
			"a host word in a wrong place", "tenants: {a: {deployments: {1: {}}, google: {kind: google}}}\n",
			[]string{`m.yaml:1:37: unknown key "google": it stands in tenants.*.spreadsheets`},
		},
		{
			"a key that stands elsewhere", "timezone: UTC\ntenants: {a: {deployments: {1: {}}, publicURL: 'https://x.example.com'}}\n",
			[]string{
				`m.yaml:1:1: unknown key "timezone": it stands in tenants.*.deployments.*`,
				`m.yaml:2:37: unknown key "publicURL": it stands in the file itself, outside of all keys`,
			},
		},
		{
			"a key that is nearly one", "tenant: {a: {deployments: {1: {}}}}\n",
			[]string{`m.yaml:1:1: unknown key "tenant": write tenants if you mean that`},
		},
		{
			"documents of a deployment that is none",
			"tenants: {a: {deployments: {1: {}}, spreadsheets: {SHEETS_B: {kind: xlsx, dir: d, documents: {2: [x]}}}}}\n",
			[]string{"m.yaml:1:98: documents: there is no deployment 2"},
		},
		{
			"a pattern of documents that is none",
			"tenants:\n  a:\n    deployments: {1: {}}\n    spreadsheets:\n      SHEETS_B:\n        documents:\n          1: ['ok-*', '[a-', '']\n",
			[]string{`m.yaml:7:23: documents: "[a-" is no pattern`, "m.yaml:7:30: documents: a pattern is empty"},
		},
		{
			"documents are lists by deployment",
			"tenants: {a: {deployments: {1: {}}, spreadsheets: {SHEETS_B: {documents: {one: '*'}}}}}\n",
			[]string{"m.yaml:1:75: expected a whole number, found text", "m.yaml:1:80: expected a list, found text"},
		},
		{
			"a duration without a unit", "tenants: {a: {deployments: {1: {source: {kind: sqlite, statementTimeout: 60}}}}}\n",
			[]string{"m.yaml:1:74: expected a duration with its unit"},
		},
		{
			"a duration that is none", "tenants: {a: {deployments: {1: {source: {kind: sqlite, statementTimeout: soon}}}}}\n",
			[]string{"m.yaml:1:74: expected a duration with its unit"},
		},
		{
			"a webhook needs an address", "tenants: {a: {deployments: {1: {webhooks: [{url: x, secret: 012345678901234567890123}]}}}}\n",
			[]string{"m.yaml:1:44: webhook: url: needs an http or https address"},
		},
		{
			"a hook has an id, a secret and a schedule", minimal + "hooks:\n  - {id: a/b, kind: github, tenant: acme, deployment: 1, schedule: D, secret: hunter2}\n",
			[]string{
				"m.yaml:5:5: hook: id: expected letters", "hook: kind: expected standard, dbt or fivetran",
				"hook: schedule: expected the key of a schedule", "hook: secret: needs at least 24 bytes",
			},
		},
		{
			"a hook is there once, for a tenant and a deployment that are there",
			minimal + "hooks:\n  - {id: a, tenant: nobody, deployment: 1, schedule: d, secret: 012345678901234567890123}\n" +
				"  - {id: a, tenant: acme, deployment: 7, schedule: d, secret: 012345678901234567890123}\n",
			[]string{
				"hook: tenant: there is no tenant \"nobody\"", "hook: id: \"a\" is there twice", "hook: deployment: tenant acme has no deployment 7",
			},
		},
		{
			"a webhook's secret is long",
			"tenants: {a: {deployments: {1: {webhooks: [{url: 'https://x.example.com', secret: hunter2}]}}}}\n",
			[]string{"m.yaml:1:44: webhook: secret: needs at least 24 bytes"},
		},
		{
			"a key of another kind is refused with its place",
			"tenants: {a: {deployments: {1: {source: {kind: sqlite, path: x, token: y}}}}}\n",
			[]string{`m.yaml:1:65: unknown key "token": known here are freshness, kind, maxBytes, maxCells, maxConnections, maxRows, path, statementTimeout`},
		},
		{
			"a wrongly cased key of a kind is told its spelling",
			"tenants: {a: {deployments: {1: {}}, spreadsheets: {SHEETS_A: {kind: google, CredentialsFile: y}}}}\n",
			[]string{`m.yaml:1:77: unknown key "CredentialsFile": it is written credentialsFile`},
		},
		{
			"a key that a merged mapping brings is the kind's, too",
			"tenants: {a: {deployments: {1: {source: &s {kind: sqlite, path: x}}, 2: {source: {<<: *s, url: y}}}}}\n",
			[]string{`m.yaml:1:91: unknown key "url"`},
		},
		{
			"a number is no truth value", "tenants: {a: {deployments: {1: {source: {kind: postgres, rowSecurity: 7}}}}}\n",
			[]string{"m.yaml:1:71: expected true or false, found a number"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse("/somewhere/m.yaml", []byte(tt.text), environment(), drivers())
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

func TestKeyFaults(t *testing.T) {
	dir := t.TempDir()
	private, public := edDSAFiles(t, dir)
	tests := []struct{ name, keys, want string }{
		{
			"a short secret is refused by its length only", `{id: k, algorithm: HS256, secret: hunter2hunter2}`,
			"the secret has 14 bytes, HS256 needs at least 32",
		},
		{"a missing secret is refused", `{id: k, algorithm: HS256}`, "the secret has 0 bytes"},
		{"no algorithm is unsigned", `{id: k, algorithm: none, secret: ` + secret + `}`, "a secret goes with HS256"},
		{"an unknown algorithm", `{id: k, algorithm: HS1}`, `algorithm "HS1" is none of HS256, EdDSA, RS256`},
		{"a secret beside a key file", `{id: k, algorithm: EdDSA, secret: x, publicKeyFile: ` + public + `}`, "a secret goes with HS256"},
		{
			"a key file beside a secret", `{id: k, algorithm: HS256, secret: ` + secret + `, publicKeyFile: ` + public + `}`,
			"HS256 takes a secret and no key files",
		},
		{"no key at all", `{id: k, algorithm: RS256}`, "neither a private nor a public key"},
		{"a missing file is named", `{id: k, algorithm: EdDSA, privateKeyFile: gone.pem}`, "gone.pem"},
		{"another kind of key", `{id: k, algorithm: RS256, privateKeyFile: ` + private + `}`, "private key"},
		{"no id", `{algorithm: HS256, secret: ` + secret + `}`, "ids must be set"},
		{
			"an id twice",
			`{id: k, algorithm: EdDSA, publicKeyFile: ` + public + `}, {id: k, algorithm: EdDSA, publicKeyFile: ` + public + `}`,
			`signing key "k" is there twice`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := "signing: {keys: [" + tt.keys + "]}\ntenants: {a: {deployments: {1: {}}}}\n"
			_, err := Parse(filepath.Join(dir, "m.yaml"), []byte(text), environment(), drivers())
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "m.yaml:1:") {
				t.Errorf("error %v, want one on line 1 with %q", err, tt.want)
			}
			if err != nil && strings.Contains(err.Error(), "hunter2") {
				t.Errorf("error %v holds the secret", err)
			}
		})
	}
}

func TestKeyFiles(t *testing.T) {
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
			name := filepath.Join(dir, "m.yaml")
			writeFile(t, name, "signing: {keys: ["+tt.key+"]}\ntenants: {a: {deployments: {1: {}}}}\n")
			cfg, err := Load(name, environment(), drivers())
			if err != nil {
				t.Fatal(err)
			}
			keys, err := cfg.Keyring()
			if err != nil {
				t.Fatal(err)
			}
			_, _, err = keys.Sign(auth.Caller{Tenant: "a", Subject: "7"}, time.Now(), time.Hour)
			if (err == nil) != tt.signs {
				t.Errorf("signing: %v; signs: want %v", err, tt.signs)
			}
		})
	}
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
