package config

import (
	"strings"
	"testing"
)

func TestWarnings(t *testing.T) {
	const random = "b6f3a1907c5de24818cf02a97e6b35d4"
	sound := func() *Config {
		return &Config{
			Listen: DefaultListen, PublicURL: "https://mooring.example.com",
			Signing: Signing{Keys: []SigningKey{{ID: "main", Algorithm: "HS256", Secret: random}, {ID: "other", Algorithm: "EdDSA"}}},
		}
	}
	for _, tt := range []struct {
		fact   string
		change func(*Config)
		want   string // part of the only warning; empty: none
	}{
		{"nothing", func(*Config) {}, ""},
		{"no publicURL", func(c *Config) { c.PublicURL = "" }, ""},
		{"a publicURL for trials", func(c *Config) { c.PublicURL = "http://localhost:8080" }, ""},
		{"a publicURL without https", func(c *Config) { c.PublicURL = "http://mooring.example.com" }, "publicURL: https://mooring.example.com"},
		{"every interface behind a proxy", func(c *Config) { c.Listen = ":8080" }, ""},
		{
			"every interface behind a proxy that is named",
			func(c *Config) { c.Listen, c.PublicURL, c.TrustedProxies = ":8080", "", []string{"10.0.0.1"} }, "",
		},
		{"every interface", func(c *Config) { c.Listen, c.PublicURL = ":8080", "" }, "write listen: 127.0.0.1:8080"},
		{"every interface of IPv4", func(c *Config) { c.Listen, c.PublicURL = "0.0.0.0:80", "" }, "listen: 0.0.0.0:80 answers plain HTTP"},
		{"the loopback interface of IPv6", func(c *Config) { c.Listen, c.PublicURL = "[::1]:80", "" }, ""},
		{"a network of proxies", func(c *Config) { c.TrustedProxies = []string{"10.0.0.0/8"} }, ""},
		{"everything as a proxy", func(c *Config) { c.TrustedProxies = []string{"10.0.0.1", "0.0.0.0/0"} }, "trustedProxies: 0.0.0.0/0"},
		{"everything as a proxy by IPv6", func(c *Config) { c.TrustedProxies = []string{"::/0"} }, "trustedProxies: ::/0"},
		{
			"a secret of an example",
			func(c *Config) { c.Signing.Keys[0].Secret = "ChangeMe-ChangeMe-ChangeMe-0123456789" }, `signing key "main" looks like`,
		},
		{"a secret that repeats", func(c *Config) { c.Signing.Keys[0].Secret = strings.Repeat("0123456789abcdef", 2) }, "looks like one of an example"},
		{
			"a webhook to a name that cannot be",
			func(c *Config) {
				c.Tenants = map[string]TenantEntry{"acme": {Deployments: map[int64]DeploymentEntry{1: {Webhooks: []WebhookEntry{{URL: "https://hooks.invalid/x?key=hunter2"}}}}}}
			},
			"goes to hooks.invalid, a name",
		},
		{
			"a webhook to an address",
			func(c *Config) {
				c.Tenants = map[string]TenantEntry{"acme": {Deployments: map[int64]DeploymentEntry{1: {Webhooks: []WebhookEntry{{URL: "https://127.0.0.1/x"}}}}}}
			},
			"",
		},
	} {
		t.Run(tt.fact, func(t *testing.T) {
			if strings.Contains(tt.want, ".invalid") && unknownHost(t.Context(), "https://hooks.invalid") == "" {
				t.Skip("no name server answers")
			}
			cfg := sound()
			tt.change(cfg)
			got := cfg.Warnings(t.Context())
			if tt.want == "" && len(got) > 0 || tt.want != "" && (len(got) != 1 || !strings.Contains(got[0], tt.want)) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if strings.Contains(strings.Join(got, ""), "hunter2") {
				t.Error("it holds what is secret of an address")
			}
		})
	}
}
