package config

import (
	"strings"
	"testing"
)

func TestLimitsAreRead(t *testing.T) {
	base := "signing: {keys: [{id: main, algorithm: HS256, secret: " + strings.Repeat("s", 32) + "}]}\n" +
		"tenants: {acme: {deployments: {1: {}}}}\n"
	cfg, err := Parse("mooring.yaml", []byte(base+"limits: {requestsPerMinute: 600}\n"), environment(), drivers())
	if err != nil || cfg.Limits.RequestsPerMinute != 600 {
		t.Errorf("got %+v, %v", cfg, err)
	}
	if got, want := cfg.Limits, (ServiceLimits{600, 100, 10_000, 0}); got != want {
		t.Errorf("limits that are not said are %+v, want %+v", got, want)
	}
	cfg, err = Parse("mooring.yaml", []byte(base+"limits: {schedulesPerUser: 0, schedulesPerTenant: 7}\n"), environment(), drivers())
	if err != nil || cfg.Limits != (ServiceLimits{0, 0, 7, 0}) {
		t.Errorf("got %+v, %v", cfg, err)
	}
	for _, name := range []string{"requestsPerMinute", "schedulesPerUser", "schedulesPerTenant"} {
		_, err = Parse("mooring.yaml", []byte(base+"limits: {"+name+": -1}\n"), environment(), drivers())
		if err == nil || !strings.Contains(err.Error(), "mooring.yaml:3:") || !strings.Contains(err.Error(), name+": must not be negative") {
			t.Errorf("a negative limit gives %v", err)
		}
	}
}

func TestOriginsAreRead(t *testing.T) {
	cfg, err := Parse("mooring.yaml", []byte(minimal+"cors: {origins: [https://addin.example.com, \"https://*.googleusercontent.com\"]}\n"), environment(), drivers())
	if err != nil || len(cfg.CORS.Origins) != 2 {
		t.Errorf("got %+v, %v", cfg, err)
	}
	_, err = Parse("mooring.yaml", []byte(minimal+"cors:\n  origins:\n    - https://addin.example.com\n    - \"*\"\n"), environment(), drivers())
	if err == nil || !strings.Contains(err.Error(), "mooring.yaml:7:") || !strings.Contains(err.Error(), `"*" is no origin`) {
		t.Errorf("a star alone gives %v", err)
	}
}

func TestResultsInMemory(t *testing.T) {
	base := "signing: {keys: [{id: main, algorithm: HS256, secret: " + strings.Repeat("s", 32) + "}]}\n"
	const small = "tenants: {acme: {deployments: {1: {source: {kind: sqlite, path: a.db, maxBytes: 64MiB}}}}}\n"
	for _, row := range []struct{ fact, text, want string }{
		{"a result fits", small + "limits: {resultsInMemory: 64MiB}\n", ""},
		{"bytes without a unit", small + "limits: {resultsInMemory: 67108864}\n", ""},
		{"a variable", small + "limits: {resultsInMemory: \"${SIZE}\"}\n", ""},
		{
			"a result does not fit", small + "limits: {resultsInMemory: 32MiB}\n",
			"mooring.yaml:3:27: resultsInMemory: 32 MiB do not hold one result of tenant acme, deployment 1, whose maxBytes is 64 MiB",
		},
		{
			"a result that is not bounded does not fit",
			strings.Replace(small, ", maxBytes: 64MiB", "", 1) + "limits: {resultsInMemory: 128MiB}\n", "whose maxBytes is 256 MiB",
		},
		{
			"a result beyond what is not said", strings.Replace(small, "64MiB", "2GiB", 1),
			"mooring.yaml:2:81: resultsInMemory: 1 GiB do not hold",
		},
		{"no size", small + "limits: {resultsInMemory: much}\n", "mooring.yaml:3:27: expected a size, such as 512MiB"},
		{"a negative one", small + "limits: {resultsInMemory: -1MiB}\n", "must not be negative"},
		{"a negative maxBytes", strings.Replace(small, "64MiB", "-1", 1), ""}, // the source says so when it is opened
	} {
		env := func(name string) (string, bool) { return "64MiB", name == "SIZE" }
		cfg, err := Parse("mooring.yaml", []byte(base+row.text), env, drivers())
		switch {
		case row.want == "" && err != nil, row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)):
			t.Errorf("%s: got %v, want %q", row.fact, err, row.want)
		case err == nil && strings.Contains(row.text, "resultsInMemory") && cfg.Limits.ResultsInMemory != 64<<20:
			t.Errorf("%s: read as %d", row.fact, cfg.Limits.ResultsInMemory)
		}
	}
}

func TestPublicURLAndFrames(t *testing.T) {
	tests := []struct{ name, text, url, fault string }{
		{"an address", "publicURL: https://mooring.example.com", "https://mooring.example.com", ""},
		{"a slash at its end is left out", "publicURL: https://mooring.example.com/m/", "https://mooring.example.com/m", ""},
		{"none", "partitions: 16", "", ""},
		{"no scheme", "publicURL: mooring.example.com", "", "m.yaml:4:12: publicURL: expected an address"},
		{"another scheme", "publicURL: ftp://mooring.example.com", "", "m.yaml:4:12: publicURL: expected an address"},
		{"no host", "publicURL: \"https://:80\"", "", "m.yaml:4:12: publicURL: expected an address"},
		{"a query", "publicURL: https://mooring.example.com?", "", "m.yaml:4:12: publicURL: expected an address"},
		{"a user", "publicURL: https://me@mooring.example.com", "", "m.yaml:4:12: publicURL: expected an address"},
		{"proxies", "trustedProxies: [10.0.0.1, \"fd00::/8\"]", "", ""},
		{"a log", "log: {level: debug, format: json}", "", ""},
		{"an unknown level", "log: {level: loud}", "", "m.yaml:4:14: log.level: expected debug, info, warn or error"},
		{"an unknown format", "log: {format: xml}", "", "m.yaml:4:15: log.format: expected text or json"},
		{"a collector", "traces: {endpoint: 'http://localhost:4318'}", "", ""},
		{"a collector without a scheme", "traces: {endpoint: 'localhost:4318'}", "", "m.yaml:4:20: traces.endpoint: expected the address of an OTLP collector"},
		{"a proxy that is a name", "trustedProxies: [10.0.0.1, proxy]", "", "m.yaml:4:28: trustedProxies: expected an address"},
		{"a frame of a pattern", "addin: {frameAncestors: [\"https://*.example.com\"]}", "", ""},
		{"a frame of anything", "addin: {frameAncestors: [https://a.example.com, \"*\"]}", "", "m.yaml:4:49: addin.frameAncestors: \"*\" is no origin"},
		{"a frame that ends the policy", "addin: {frameAncestors: [\"https://a.example.com; script-src *\"]}", "", "m.yaml:4:26: addin.frameAncestors: "},
		{"frames in two ways", "addin: {frameAncestors: [https://a.example.com], csp: {frame-ancestors: [https://b.example.com]}}", "", "m.yaml:4:25: addin.frameAncestors: csp.frame-ancestors says it, too"},
		{"more frames", "addin: {csp: {frame-ancestors: [https://b.example.com]}}", "", ""},
		{"a wider policy", "addin: {csp: {script-src: [https://cdn.example.com], img-src: ['blob:'], style-src: [\"'unsafe-inline'\"]}}", "", ""},
		{"a script of any origin", "addin: {csp: {script-src: ['*']}}", "", "m.yaml:4:28: addin.csp: script-src takes origins only: \"*\" is no origin"},
		{"a script of a scheme", "addin: {csp: {script-src: [https://a.example.com, 'https:']}}", "", "m.yaml:4:51: addin.csp: script-src takes origins only: "},
		{"a script in the page", "addin: {csp: {script-src: [\"'unsafe-inline'\"]}}", "", "m.yaml:4:28: addin.csp: script-src takes origins only: "},
		{"a source that ends the directive", "addin: {csp: {img-src: ['data:; script-src *']}}", "", "m.yaml:4:25: addin.csp: img-src: "},
		{"a directive that none widens", "addin: {csp: {script-src-elem: ['*']}}", "", "m.yaml:4:32: addin.csp: \"script-src-elem\" cannot be widened; these can: connect-src, font-src, "},
		{"a policy that is no mapping", "addin: {csp: \"script-src *\"}", "", "m.yaml:4:14: expected keys and values, found text"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cfg, err := Parse("m.yaml", []byte(minimal+tt.text+"\n"), environment(), drivers())
			if tt.fault != "" {
				if err == nil || !strings.HasPrefix(err.Error(), tt.fault) {
					t.Errorf("got %v, want %s", err, tt.fault)
				}
				return
			}
			if err != nil || cfg.PublicURL != tt.url {
				t.Errorf("%v, %v", cfg, err)
			}
		})
	}
}
