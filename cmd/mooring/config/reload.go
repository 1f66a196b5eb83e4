package config

import (
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"

	"mooring/web/oidc"
)

// Issuers returns the issuers whose tokens count beside the service's own. Those of before whose entries are unchanged are taken over, with
// the keys that they know.
func (cfg *Config) Issuers(before []*oidc.Issuer, log *slog.Logger) []*oidc.Issuer {
	var all []*oidc.Issuer
	for _, entry := range cfg.Signing.JWKS {
		i := slices.IndexFunc(before, func(b *oidc.Issuer) bool { return reflect.DeepEqual(b.Config(), entry) })
		if i >= 0 {
			all = append(all, before[i])
			continue
		}
		all = append(all, oidc.NewIssuer(entry, log))
	}
	return all
}

// Deferred returns the keys whose values in next are others and take effect at the next start only, sorted. A field that takes effect at
// once has the tag reload:"now".
func (cfg *Config) Deferred(next *Config) []string {
	keys := deferred(nil, reflect.ValueOf(*cfg), reflect.ValueOf(*next), "")
	slices.Sort(keys)
	return keys
}

// deferred appends the keys below path at which two values of one type differ. A mapping is followed to the entries that differ; what has
// keys of a driver's is one value.
func deferred(keys []string, a, b reflect.Value, path string) []string {
	t := a.Type()
	switch {
	case t == hostsType:
		return deferred(keys, reflect.ValueOf(a.Interface().(HostEntries).byName()), reflect.ValueOf(b.Interface().(HostEntries).byName()), path)
	case t.Kind() == reflect.Map:
		for _, key := range either(a, b) {
			x, y := a.MapIndex(key), b.MapIndex(key)
			if at := below(path, fmt.Sprint(key)); x.IsValid() && y.IsValid() {
				keys = deferred(keys, x, y, at)
			} else {
				keys = append(keys, at)
			}
		}
	case t.Kind() == reflect.Struct && t != sourceType && t != hostType:
		for i := range t.NumField() {
			name, _, _ := strings.Cut(t.Field(i).Tag.Get("yaml"), ",")
			if name != "" && name != "-" && t.Field(i).Tag.Get("reload") != "now" {
				keys = deferred(keys, a.Field(i), b.Field(i), below(path, name))
			}
		}
	case !reflect.DeepEqual(a.Interface(), b.Interface()):
		keys = append(keys, path)
	}
	return keys
}

// either returns the keys of two mappings, each once.
func either(a, b reflect.Value) []reflect.Value {
	all := a.MapKeys()
	for _, key := range b.MapKeys() {
		if !a.MapIndex(key).IsValid() {
			all = append(all, key)
		}
	}
	return all
}

func below(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
