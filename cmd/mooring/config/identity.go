package config

import (
	"maps"
	"reflect"
	"slices"

	"mooring/cmd/mooring/yaml"
	"mooring/web/oidc"
)

// checkIdentities checks the issuers of identities, which are one without a list, or those of a list. Each stands there once: a person who
// comes back is known to come from one.
func (f *file) checkIdentities(cfg *Config) {
	switch {
	case cfg.OIDC == nil:
		return
	case cfg.OIDC.Issuers == nil:
		f.checkIdentity(cfg, cfg.OIDC.Config, "oidc")
		return
	case !reflect.ValueOf(cfg.OIDC.Config).IsZero():
		f.fault(f.besideIssuers(), "oidc: this key is of an issuer without a list: move it and the others beside issuers into an entry of issuers")
	case len(cfg.OIDC.Issuers) == 0:
		f.fault(f.place("oidc", "issuers"), "oidc: issuers: expected at least one; without any, leave out oidc")
	}
	seen := map[string]bool{}
	for i, c := range cfg.OIDC.Issuers {
		f.checkIdentity(cfg, c, "oidc", "issuers", i)
		if c.Issuer != "" && seen[c.Issuer] {
			f.fault(f.place("oidc", "issuers", i, "issuer"), "oidc: the issuer %q is there twice", c.Issuer)
		}
		seen[c.Issuer] = true
	}
}

// besideIssuers returns the place of the first key of oidc that stands beside issuers.
func (f *file) besideIssuers() yaml.Place {
	for _, p := range f.root.Find("oidc").Pairs {
		if p.Key.Text != "issuers" {
			return p.Key.Place
		}
	}
	return f.place("oidc")
}

// checkIdentity checks the issuer at a path.
func (f *file) checkIdentity(cfg *Config, c oidc.Config, path ...any) {
	if err := c.Check(); err != nil {
		f.faultsAt(err, "oidc", path...)
	}
	if _, known := cfg.Tenants[c.Tenant]; !known && c.Tenant != "" {
		f.fault(f.place(append(path, "tenant")...), "oidc: there is no tenant %q", c.Tenant)
	}
	for _, key := range slices.Sorted(maps.Keys(c.Tenants)) {
		if _, known := cfg.Tenants[c.Tenants[key]]; !known {
			f.fault(f.place(append(path, "tenants", key)...), "oidc: there is no tenant %q", c.Tenants[key])
		}
	}
}
