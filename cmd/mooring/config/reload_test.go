package config

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const withIssuers = `
signing:
  keys: [{id: main, algorithm: HS256, secret: 0123456789abcdef0123456789abcdef}]
  jwks:
    - {url: "https://a.example.com/keys", issuer: a, audience: mooring, tenant: acme, deployments: [1], actions: [ReportRead]}
    - {url: "http://127.0.0.1:1/keys", issuer: b, audience: mooring, tenant: acme, actions: [All], uidClaim: employee}
tenants: {acme: {deployments: {1: {}}}}
`

func TestFaultsOfIssuers(t *testing.T) {
	for _, tt := range []struct {
		name, old, new string
		want           []string
	}{
		{"two entries of one issuer", "issuer: b", "issuer: a", []string{`m.yaml:6:48: signing.jwks: the issuer "a" is there twice`}},
		{"the service's own issuer", "issuer: b", "issuer: mooring", []string{`m.yaml:6:48: signing.jwks: the issuer "mooring" is there twice, or is signing.issuer`}},
		{"a tenant that is none", "tenant: acme, deployments: [1]", "tenant: emca", []string{`m.yaml:5:81: signing.jwks: there is no tenant "emca"`}},
		{"a deployment that is none", "[1]", "[1, 7]", []string{"m.yaml:5:104: signing.jwks: tenant acme has no deployment 7"}},
		{"a key that is none", "uidClaim", "uidclaim", []string{`unknown key "uidclaim": it is written uidClaim`}},
		{
			"all that is wrong with one", `url: "https://a.example.com/keys", issuer: a, audience: mooring`, `url: "http://a.example.com/keys"`,
			[]string{"signing.jwks: url: expected an https address", "signing.jwks: issuer: expected", "signing.jwks: audience: expected"},
		},
	} {
		_, err := Parse("m.yaml", []byte(strings.Replace(withIssuers, tt.old, tt.new, 1)), environment(), drivers())
		for _, want := range tt.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", tt.name, err, want)
			}
		}
	}
}

func parsedAs(t *testing.T, text string) *Config {
	t.Helper()
	cfg, err := Parse("m.yaml", []byte(text), environment(), drivers())
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// An issuer whose entry is unchanged keeps what it knows.
func TestIssuersAreTakenOver(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	before := parsedAs(t, withIssuers).Issuers(nil, log)
	after := parsedAs(t, strings.Replace(withIssuers, "ReportRead", "ReportEdit", 1)).Issuers(before, log)
	if len(before) != 2 || len(after) != 2 || after[0] == before[0] || after[1] != before[1] {
		t.Errorf("before %v, after %v", before, after)
	}
}

func TestWhatAReloadDefers(t *testing.T) {
	const before = withIssuers + `
listen: 127.0.0.1:1
limits: {requestsPerMinute: 1, schedulesPerUser: 1}
addin: {frameAncestors: ["https://a.example.com"]}
`
	const tenant = "acme: {deployments: {1: {}}"
	for _, tt := range []struct {
		old, new string
		want     []string
	}{
		{"", "", nil},
		{"id: main", "id: other", nil},
		{"audience: mooring", "audience: m", nil},
		{"requestsPerMinute: 1", "requestsPerMinute: 2", nil},
		{"listen:", "cors: {origins: ['https://b.example.com']}\nlisten:", nil},
		{"127.0.0.1:1\n", "127.0.0.1:2\n", []string{"listen"}},
		{"listen:", "log: {level: warn}\nlisten:", nil},
		{"listen:", "log: {format: json}\nlisten:", []string{"log.format"}},
		{"schedulesPerUser: 1", "schedulesPerUser: 2", []string{"limits.schedulesPerUser"}},
		{"https://a.example.com\"]", "https://b.example.com\"]", []string{"addin.frameAncestors"}},
		{"https://a.example.com\"]", "https://a.example.com\"], csp: {img-src: ['data:']}", []string{"addin.csp.img-src"}},
		{"signing:\n", "signing:\n  issuer: us\n", nil},
		{"listen:", "oidc: {issuer: 'https://i.example.com', clientId: m, tenantClaim: t, actions: {g: [All]}}\nlisten:", []string{"oidc"}},
		{tenant, "acme: {deployments: {1: {timezone: Europe/Berlin}, 2: {}}", []string{"tenants.acme.deployments.1.timezone", "tenants.acme.deployments.2"}},
		{tenant, "acme: {deployments: {1: {}}, spreadsheets: {SHEETS_B: {kind: xlsx, dir: d}}", []string{"tenants.acme.spreadsheets.SHEETS_B"}},
		{tenant, "other: {deployments: {1: {}}}, " + tenant, []string{"tenants.other"}},
	} {
		got := parsedAs(t, before).Deferred(parsedAs(t, strings.Replace(before, tt.old, tt.new, 1)))
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%q instead of %q (-want +got):\n%s", tt.new, tt.old, diff)
		}
	}
}
