package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"mooring/placements"
	"mooring/refresh"
	"mooring/refresh/source"
	"mooring/storage"
	"mooring/web"

	"github.com/goccy/go-yaml"
)

// What a configuration that says nothing gets.
const (
	defaultListen     = "127.0.0.1:8080"
	defaultRedis      = "embedded"
	defaultPartitions = 16
	defaultIssuer     = "mooring"

	defaultSchedulesPerUser   = 100
	defaultSchedulesPerTenant = 10_000
)

// config is the configuration file (decisions.md §9). Paths in it are made relative to the file, secrets are expanded,
// everything is checked: what loadConfig returned can be used as it is.
type config struct {
	Listen     string            `yaml:"listen"`
	Redis      string            `yaml:"redis"`
	Partitions int               `yaml:"partitions"`
	Signing    signing           `yaml:"signing"`
	Limits     limits            `yaml:"limits"`
	CORS       cors              `yaml:"cors"`
	Tenants    map[string]tenant `yaml:"tenants"`

	keys []web.Key   // of Signing, with the contents of its files
	file *configFile // for the places of what is found wrong later
}

// limits bounds what clients may do.
type limits struct {
	RequestsPerMinute  int `yaml:"requestsPerMinute"`  // a token may make; 0: any number
	SchedulesPerUser   int `yaml:"schedulesPerUser"`   // see record.ScheduleLimits; 0: any number
	SchedulesPerTenant int `yaml:"schedulesPerTenant"` // 0: any number

	ResultsInMemory source.Size `yaml:"resultsInMemory"` // of one process, at one time; 0: refresh.DefaultResultsInMemory
}

// cors says whose pages may use the HTTP interface from a browser.
type cors struct {
	Origins []string `yaml:"origins"`
}

// signing says who signs tokens: the first key signs, all verify.
type signing struct {
	Issuer string       `yaml:"issuer"`
	Keys   []signingKey `yaml:"keys"`
}

// signingKey is one key: a secret for HS256, PEM files for EdDSA and RS256.
type signingKey struct {
	ID             string `yaml:"id"`
	Algorithm      string `yaml:"algorithm"`
	Secret         string `yaml:"secret"`
	PrivateKeyFile string `yaml:"privateKeyFile"`
	PublicKeyFile  string `yaml:"publicKeyFile"`
}

// tenant is one customer: host names that stand for it, deployments by number, spreadsheets by host value.
type tenant struct {
	Hosts        []string                         `yaml:"hosts"`
	Deployments  map[int64]deployment             `yaml:"deployments"`
	Spreadsheets map[placements.Host]spreadsheets `yaml:"spreadsheets"`
}

// deployment is where the reports of one deployment get their results, and the wall time of its dates.
type deployment struct {
	Timezone string    `yaml:"timezone"`
	Source   *database `yaml:"source"` // nil: none
	Webhooks []webhook `yaml:"webhooks"`

	location *time.Location    // of Timezone, UTC when there is none
	webhooks []refresh.Webhook // of Webhooks
}

// webhook is an address that is told when runs fail permanently and when they succeed again.
type webhook struct {
	URL    string `yaml:"url"`
	Secret string `yaml:"secret"` // signs what is sent; at least 24 bytes, plain or whsec_ and base64
}

// lookup finds an environment variable, as os.LookupEnv does.
type lookup func(name string) (value string, set bool)

// loadConfig reads, expands and checks a configuration file. What is wrong with it comes as one error that names every
// fault and its line; it holds no expanded secret.
func loadConfig(name string, env lookup, known kinds) (*config, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	return parseConfig(name, text, env, known)
}

// parseConfig is loadConfig for a text already read; name is the file's, for messages and relative paths.
func parseConfig(name string, text []byte, env lookup, known kinds) (*config, error) {
	f := &configFile{name: name, env: env, kinds: known}
	body := f.parse(text)
	if body != nil {
		f.expand(body)
	}
	if body != nil && !f.loose { // what follows an alias into itself would have no end
		f.shape(body)
	}
	if err := f.err(); err != nil {
		return nil, err
	}
	cfg := &config{
		Listen: defaultListen, Redis: defaultRedis, Partitions: defaultPartitions,
		Signing: signing{Issuer: defaultIssuer},
		Limits:  limits{SchedulesPerUser: defaultSchedulesPerUser, SchedulesPerTenant: defaultSchedulesPerTenant},
		file:    f,
	}
	if body != nil {
		ctx := context.WithValue(context.Background(), kindsKey{}, known)
		if err := yaml.NewDecoder(strings.NewReader("")).DecodeFromNodeContext(ctx, body, cfg); err != nil {
			f.decodeFault(err)
			return nil, f.err()
		}
	}
	cfg.resolve(filepath.Dir(name))
	if f.check(cfg); f.err() != nil {
		return nil, f.err()
	}
	return cfg, nil
}

// resolve makes relative paths relative to the file.
func (cfg *config) resolve(dir string) {
	for i := range cfg.Signing.Keys {
		k := &cfg.Signing.Keys[i]
		resolvePath(dir, &k.PrivateKeyFile)
		resolvePath(dir, &k.PublicKeyFile)
	}
	for _, t := range cfg.Tenants {
		for _, d := range t.Deployments {
			if d.Source != nil && d.Source.Config != nil {
				d.Source.Config.Resolve(dir)
			}
		}
		for _, s := range t.Spreadsheets {
			if s.Config != nil {
				s.Config.Resolve(dir)
			}
		}
	}
}

func resolvePath(dir string, path *string) {
	if *path != "" && !filepath.IsAbs(*path) {
		*path = filepath.Join(dir, *path)
	}
}

// documents is where the reports of each deployment may be placed.
func (cfg *config) documents() map[storage.Deployment]placements.Documents {
	bounds := map[storage.Deployment]placements.Documents{}
	for name, t := range cfg.Tenants {
		for id := range t.Deployments {
			of := placements.Documents{}
			for kind, s := range t.Spreadsheets {
				if s.Documents != nil {
					of[kind] = s.Documents[id]
				}
			}
			bounds[storage.Deployment{Tenant: name, ID: id}] = of
		}
	}
	return bounds
}

// keyring returns the keys that sign and verify tokens.
func (cfg *config) keyring() (*web.Keyring, error) {
	if len(cfg.keys) == 0 {
		return nil, errors.New("the configuration has no signing key: add one under signing.keys")
	}
	return web.NewKeyring(cfg.Signing.Issuer, cfg.keys)
}

// embedded reports whether the store is one inside the process.
func (cfg *config) embedded() bool { return cfg.Redis == "embedded" }
