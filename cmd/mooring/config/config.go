package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"

	"mooring/cmd/mooring/yaml"
	"mooring/refresh/source"
	"mooring/web/auth"
	"mooring/web/hook"
	"mooring/web/oidc"
)

// The values of keys that are not in the file.
const (
	DefaultListen     = "127.0.0.1:8080"
	defaultRedis      = "embedded"
	defaultPartitions = 16
	defaultIssuer     = "mooring"

	defaultSchedulesPerUser   = 100
	defaultSchedulesPerTenant = 10_000
)

// Config is a configuration file that was checked. Paths in it are absolute or relative to the working directory, and environment variables
// are expanded. A process that runs takes over the fields with the tag reload:"now"; the others take effect at the next start.
type Config struct {
	Listen     string        `yaml:"listen"`
	Ops        Ops           `yaml:"ops"`
	Redis      string        `yaml:"redis"`
	Partitions int           `yaml:"partitions"`
	Signing    Signing       `yaml:"signing" reload:"now"`
	Limits     ServiceLimits `yaml:"limits"`
	CORS       CORS          `yaml:"cors" reload:"now"`
	PublicURL  string        `yaml:"publicURL"` // where people reach the service; empty: not said
	Addin      Addin         `yaml:"addin"`
	Log        Log           `yaml:"log"`
	Traces     Traces        `yaml:"traces"`

	Hooks []hook.Config `yaml:"hooks" reload:"now"` // where senders tell that data has changed

	OIDC *OIDC `yaml:"oidc"` // who vouches for people in browsers; nil: they sign in with keys

	TrustedProxies []string               `yaml:"trustedProxies"` // addresses and networks of proxies that say from where a request came
	Tenants        map[string]TenantEntry `yaml:"tenants"`

	keys []auth.TokenKey // of Signing, with the contents of its files
	file *file           // for the places of what is found wrong later
}

// Ops is what operators see.
type Ops struct {
	Listen string `yaml:"listen"` // where metrics, health and profiles are answered apart from the HTTP interface; empty: nowhere
}

// ServiceLimits bounds what clients may do.
type ServiceLimits struct {
	RequestsPerMinute  int `yaml:"requestsPerMinute" reload:"now"` // a token may make; 0: any number
	SchedulesPerUser   int `yaml:"schedulesPerUser"`               // see record.ScheduleLimits; 0: any number
	SchedulesPerTenant int `yaml:"schedulesPerTenant"`             // 0: any number

	ResultsInMemory source.Size `yaml:"resultsInMemory"` // of one process, at one time; 0: refresh.DefaultResultsInMemory
}

// CORS names the origins whose pages may use the HTTP interface from a browser.
type CORS struct {
	Origins []string `yaml:"origins"`
}

// Addin is the task pane's part.
type Addin struct {
	FrameAncestors []string            `yaml:"frameAncestors"` // of before CSP: the origins whose pages may frame it, in place of those of Excel and Google Sheets
	CSP            map[string][]string `yaml:"csp"`            // what its Content-Security-Policy admits besides: directive -> sources
}

// OIDC is one issuer of identities, or a list of them.
type OIDC struct {
	oidc.Config `yaml:",inline"`
	Issuers     []oidc.Config `yaml:"issuers"`
}

// Identities returns the issuers of identities.
func (cfg *Config) Identities() []oidc.Config {
	switch {
	case cfg.OIDC == nil:
		return nil
	case cfg.OIDC.Issuers != nil:
		return cfg.OIDC.Issuers
	}
	return []oidc.Config{cfg.OIDC.Config}
}

// Signing holds the keys of tokens: the first key signs, all verify. The tokens of other issuers are verified by keys of theirs.
type Signing struct {
	Issuer string              `yaml:"issuer"`
	Keys   []SigningKey        `yaml:"keys"`
	JWKS   []oidc.IssuerConfig `yaml:"jwks"`
}

// SigningKey is one key: a secret for HS256, PEM files for EdDSA and RS256.
type SigningKey struct {
	ID             string `yaml:"id"`
	Algorithm      string `yaml:"algorithm"`
	Secret         string `yaml:"secret"`
	PrivateKeyFile string `yaml:"privateKeyFile"`
	PublicKeyFile  string `yaml:"publicKeyFile"`
}

// Load reads, expands and checks a configuration file. Its error names every fault and its line, and holds no expanded secret.
func Load(name string, env Lookup, known Drivers) (*Config, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	return Parse(name, text, env, known)
}

// Parse is Load for a text already read; name is the file's, for messages and relative paths.
func Parse(name string, text []byte, env Lookup, known Drivers) (*Config, error) {
	f := &file{name: filepath.Base(name)}
	f.root, f.faults = yaml.Compose(f.name, string(text))
	cfg := &Config{
		Listen: DefaultListen, Redis: defaultRedis, Partitions: defaultPartitions,
		Signing: Signing{Issuer: defaultIssuer},
		Limits:  ServiceLimits{SchedulesPerUser: defaultSchedulesPerUser, SchedulesPerTenant: defaultSchedulesPerTenant},
		file:    f,
	}
	if f.root != nil {
		composed := len(f.faults) == 0
		if f.expand(env); composed {
			filler{f, known}.value(f.root, reflect.ValueOf(cfg).Elem())
		}
	}
	if err := f.err(); err != nil {
		return nil, err
	}
	cfg.resolve(filepath.Dir(name))
	if f.check(cfg); f.err() != nil {
		return nil, f.err()
	}
	return cfg, nil
}

// resolve makes relative paths relative to dir, the file's folder.
func (cfg *Config) resolve(dir string) {
	for _, path := range cfg.paths() {
		if *path != "" && !filepath.IsAbs(*path) {
			*path = filepath.Join(dir, *path)
		}
	}
}

// paths returns every path of the configuration.
func (cfg *Config) paths() []*string {
	var paths []*string
	for i := range cfg.Signing.Keys {
		paths = append(paths, &cfg.Signing.Keys[i].PrivateKeyFile, &cfg.Signing.Keys[i].PublicKeyFile)
	}
	for _, t := range cfg.Tenants {
		for _, d := range t.Deployments {
			if d.Source != nil && d.Source.Config != nil {
				paths = append(paths, d.Source.Config.Paths()...)
			}
		}
		for _, s := range t.Spreadsheets {
			if s.Config != nil {
				paths = append(paths, s.Config.Paths()...)
			}
		}
	}
	return paths
}

// Keyring returns the keys that sign and verify tokens.
func (cfg *Config) Keyring() (*auth.Keyring, error) {
	if len(cfg.keys) == 0 {
		return nil, errors.New("the configuration has no signing key: add one under signing.keys")
	}
	return auth.NewKeyring(cfg.Signing.Issuer, cfg.keys)
}

// Embedded reports whether the store is one inside the process.
func (cfg *Config) Embedded() bool { return cfg.Redis == "embedded" }

// Fault records each line of err as a fault of what stands at a path of keys and list positions. Err returns it with its place.
func (cfg *Config) Fault(err error, what string, path ...any) { cfg.file.faultsAt(err, what, path...) }

// Err returns the faults recorded by Fault as one error, in the order of the file, nil for none.
func (cfg *Config) Err() error { return cfg.file.err() }
