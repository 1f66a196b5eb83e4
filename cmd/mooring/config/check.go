package config

import (
	"cmp"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"mooring/cmd/mooring/yaml"
	"mooring/placements"
	"mooring/refresh"
	"mooring/refresh/notify"
	"mooring/refresh/source"
	"mooring/storage"
	"mooring/web/auth"
)

// maxPartitions bounds the partition count: each is a stream and a sorted set that every agent looks at.
const maxPartitions = 1024

var (
	// tenantName is a subdomain that can also stand in a key of the store.
	tenantName = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9_-]{0,61}[A-Za-z0-9])?$`)
	hostName   = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$`)
)

// check reports every value of cfg that cannot work, and fills in what is derived: locations, recipients and keys.
func (f *file) check(cfg *Config) {
	f.checkListen(cfg)
	if cfg.Redis == "" {
		f.fault(f.place("redis"), "redis: expected embedded, or the address of a server")
	} else if err := storage.CheckAddress(cfg.Redis); err != nil {
		f.fault(f.place("redis"), "redis: %v", err)
	}
	if cfg.Partitions < 1 || cfg.Partitions > maxPartitions {
		f.fault(f.place("partitions"), "partitions: expected 1 to %d", maxPartitions)
	}
	f.checkLimits(cfg.Limits)
	f.checkOrigins(cfg.CORS.Origins, "cors", "origins")
	f.checkOrigins(cfg.Addin.FrameAncestors, "addin", "frameAncestors")
	f.checkPolicy(cfg.Addin.CSP)
	if cfg.Addin.FrameAncestors != nil && cfg.Addin.CSP["frame-ancestors"] != nil {
		f.fault(f.place("addin", "frameAncestors"), "addin.frameAncestors: csp.frame-ancestors says it, too: keep that, which adds to the origins of Excel and Google Sheets")
	}
	f.checkPublicURL(cfg)
	f.checkProxies(cfg.TrustedProxies)
	f.checkLog(cfg.Log)
	f.checkTraces(cfg.Traces)
	f.checkResults(cfg)
	f.checkKeys(cfg)
	f.checkIssuers(cfg)
	f.checkIdentities(cfg)
	f.checkHooks(cfg)
	if len(cfg.Tenants) == 0 {
		f.fault(f.place("tenants"), "tenants: at least one is needed")
	}
	hosts := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(cfg.Tenants)) {
		t := cfg.Tenants[name]
		if !tenantName.MatchString(name) {
			f.fault(f.place("tenants", name), "tenant %q: a name has letters, digits, - and _, at most 63", name)
		}
		f.checkHosts(name, t, hosts)
		f.checkDeployments(name, t)
		f.checkSpreadsheets(name, t)
	}
}

// checkListen checks the addresses to listen on.
func (f *file) checkListen(cfg *Config) {
	if !isAddress(cfg.Listen) {
		f.fault(f.place("listen"), "listen: expected an address with a port, such as %s", DefaultListen)
	}
	switch {
	case cfg.Ops.Listen == "":
	case !isAddress(cfg.Ops.Listen):
		f.fault(f.place("ops", "listen"), "ops.listen: expected an address with a port, such as 127.0.0.1:9090")
	case sameAddress(cfg.Listen, cfg.Ops.Listen):
		f.fault(f.place("ops", "listen"), "ops.listen: the HTTP interface has this address, see listen: take another port")
	}
}

func isAddress(s string) bool {
	_, port, err := net.SplitHostPort(s)
	return err == nil && isPort(port)
}

// sameAddress reports whether one process cannot listen on both; port 0 is any free one.
func sameAddress(a, b string) bool {
	host, port, _ := net.SplitHostPort(a)
	other, port2, _ := net.SplitHostPort(b)
	all := func(host string) bool {
		ip, err := netip.ParseAddr(host)
		return host == "" || err == nil && ip.IsUnspecified()
	}
	return port == port2 && port != "0" && (host == other || all(host) || all(other))
}

// checkOrigins checks the origins that a key of a part of the file lists.
func (f *file) checkOrigins(origins []string, part, key string) {
	for i, origin := range origins {
		if err := auth.CheckOrigin(origin); err != nil {
			f.fault(f.place(part, key, i), "%s.%s: %v", part, key, err)
		}
	}
}

// checkPublicURL wants an address that paths can be appended to.
func (f *file) checkPublicURL(cfg *Config) {
	if cfg.PublicURL == "" {
		return
	}
	u, err := url.Parse(cfg.PublicURL)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil ||
		strings.ContainsAny(cfg.PublicURL, "?#") {
		f.fault(f.place("publicURL"), "publicURL: expected an address such as https://mooring.example.com")
		return
	}
	cfg.PublicURL = strings.TrimRight(cfg.PublicURL, "/")
}

func (f *file) checkProxies(list []string) {
	for i, proxy := range list {
		_, noAddress := netip.ParseAddr(proxy)
		_, noNetwork := netip.ParsePrefix(proxy)
		if noAddress != nil && noNetwork != nil {
			f.fault(f.place("trustedProxies", i), "trustedProxies: expected an address, or a network such as 10.0.0.0/8")
		}
	}
}

// checkResults wants every result that a source allows to fit in memory.
func (f *file) checkResults(cfg *Config) {
	size := cmp.Or(cfg.Limits.ResultsInMemory, refresh.DefaultResultsInMemory)
	if size < 0 {
		f.fault(f.place("limits", "resultsInMemory"), "resultsInMemory: must not be negative")
		return
	}
	for name, t := range cfg.Tenants {
		for id, d := range t.Deployments {
			if d.Source == nil || d.Source.Config == nil {
				continue
			}
			most := cmp.Or(d.Source.Config.Bounds().MaxBytes, source.DefaultMaxBytes)
			if most <= size {
				continue
			}
			at := f.place("limits", "resultsInMemory")
			if cfg.Limits.ResultsInMemory == 0 {
				at = f.place("tenants", name, "deployments", id, "source", "maxBytes")
			}
			f.fault(at, "resultsInMemory: %s do not hold one result of tenant %s, deployment %d, whose maxBytes is %s: "+
				"raise it, or lower maxBytes",
				size, name, id, most)
		}
	}
}

func (f *file) checkLimits(l ServiceLimits) {
	for name, value := range map[string]int{
		"requestsPerMinute": l.RequestsPerMinute, "schedulesPerUser": l.SchedulesPerUser, "schedulesPerTenant": l.SchedulesPerTenant,
	} {
		if value < 0 {
			f.fault(f.place("limits", name), "%s: must not be negative; 0 is no limit", name)
		}
	}
}

func isPort(s string) bool {
	n, err := strconv.Atoi(s)
	return err == nil && n >= 0 && n <= 65535
}

// checkKeys reads the files of the signing keys and tries every key by itself, so that each fault has its place.
func (f *file) checkKeys(cfg *Config) {
	if cfg.Signing.Issuer == "" {
		f.fault(f.place("signing", "issuer"), "signing.issuer: must not be empty")
		return
	}
	seen := map[string]bool{}
	for i, k := range cfg.Signing.Keys {
		at := f.place("signing", "keys", i)
		if seen[k.ID] {
			f.fault(at, "signing key %q is there twice", k.ID)
		}
		seen[k.ID] = true
		key, ok := f.readKey(i, k)
		if !ok {
			continue
		}
		if _, err := auth.NewKeyring(cfg.Signing.Issuer, []auth.TokenKey{key}); err != nil {
			f.fault(at, "%v", err)
			continue
		}
		cfg.keys = append(cfg.keys, key)
	}
}

// checkIssuers checks the entries of other issuers. A token names its issuer, so each has one entry.
func (f *file) checkIssuers(cfg *Config) {
	seen := map[string]bool{cfg.Signing.Issuer: true}
	for i, c := range cfg.Signing.JWKS {
		if err := c.Check(); err != nil {
			f.faultsAt(err, "signing.jwks", "signing", "jwks", i)
		}
		if seen[c.Issuer] {
			f.fault(f.place("signing", "jwks", i, "issuer"), "signing.jwks: the issuer %q is there twice, or is signing.issuer", c.Issuer)
		}
		seen[c.Issuer] = true
		t, known := cfg.Tenants[c.Tenant]
		if !known && c.Tenant != "" {
			f.fault(f.place("signing", "jwks", i, "tenant"), "signing.jwks: there is no tenant %q", c.Tenant)
		}
		for n, d := range c.Deployments {
			if _, has := t.Deployments[d]; known && !has {
				f.fault(f.place("signing", "jwks", i, "deployments", n), "signing.jwks: tenant %s has no deployment %d", c.Tenant, d)
			}
		}
	}
}

// checkHooks wants every hook to work by itself, to have an id of its own, and a deployment that is there.
func (f *file) checkHooks(cfg *Config) {
	seen := map[string]bool{}
	for i, h := range cfg.Hooks {
		if err := h.Check(); err != nil {
			f.faultsAt(err, "hook", "hooks", i)
		}
		if seen[h.ID] {
			f.fault(f.place("hooks", i, "id"), "hook: id: %q is there twice", h.ID)
		}
		seen[h.ID] = true
		switch t, known := cfg.Tenants[h.Tenant]; {
		case !known:
			f.fault(f.place("hooks", i, "tenant"), "hook: tenant: there is no tenant %q", h.Tenant)
		default:
			if _, known := t.Deployments[h.Deployment]; !known {
				f.fault(f.place("hooks", i, "deployment"), "hook: deployment: tenant %s has no deployment %d", h.Tenant, h.Deployment)
			}
		}
	}
}

// readKey turns an entry of the file into a key. What does not belong to its algorithm is refused: a secret beside a
// public key is how one algorithm gets taken for another.
func (f *file) readKey(i int, k SigningKey) (auth.TokenKey, bool) {
	key := auth.TokenKey{ID: k.ID, Algorithm: k.Algorithm, Secret: []byte(k.Secret)}
	at := f.place("signing", "keys", i)
	symmetric := k.Algorithm == "HS256"
	if symmetric && (k.PrivateKeyFile != "" || k.PublicKeyFile != "") {
		f.fault(at, "signing key %q: HS256 takes a secret and no key files", k.ID)
		return key, false
	}
	if !symmetric && k.Secret != "" {
		f.fault(at, "signing key %q: a secret goes with HS256; %s takes privateKeyFile, publicKeyFile", k.ID, k.Algorithm)
		return key, false
	}
	private := f.readPEM(k.PrivateKeyFile, &key.PrivateKey, "signing", "keys", i, "privateKeyFile")
	public := f.readPEM(k.PublicKeyFile, &key.PublicKey, "signing", "keys", i, "publicKeyFile")
	return key, private && public
}

func (f *file) readPEM(name string, into *[]byte, path ...any) bool {
	if name == "" {
		return true
	}
	text, err := os.ReadFile(name)
	if err != nil {
		f.fault(f.place(path...), "%v: %v", path[len(path)-1], err)
		return false
	}
	*into = text
	return true
}

// checkHosts wants every host name valid and of one tenant. Host names compare in lower case, without a port.
func (f *file) checkHosts(name string, t TenantEntry, taken map[string]string) {
	for i, h := range t.Hosts {
		at := f.place("tenants", name, "hosts", i)
		lower := strings.ToLower(h)
		t.Hosts[i] = lower
		switch other, twice := taken[lower]; {
		case !hostName.MatchString(lower):
			f.fault(at, "tenant %s: %q is no host name; write it without scheme, port and path", name, h)
		case twice && other == name:
			f.fault(at, "tenant %s: host %s is there twice", name, lower)
		case twice:
			f.fault(at, "host %s is given to the tenants %s and %s", lower, min(name, other), max(name, other))
		}
		taken[lower] = name
	}
}

func (f *file) checkDeployments(name string, t TenantEntry) {
	if len(t.Deployments) == 0 {
		f.fault(f.place("tenants", name, "deployments"), "tenant %s: at least one deployment is needed", name)
	}
	for id, d := range t.Deployments {
		if id < 1 {
			f.fault(f.place("tenants", name, "deployments", id), "tenant %s: deployment %d: numbers start at 1", name, id)
		}
		location, err := time.LoadLocation(d.Timezone)
		if err != nil || d.Timezone == "Local" {
			f.fault(f.place("tenants", name, "deployments", id, "timezone"),
				"deployment %d: %q is no time zone; write one such as Europe/Berlin", id, d.Timezone)
		}
		d.Location = location
		if d.Source != nil {
			f.checkFreshness(d.Source.Freshness, "tenants", name, "deployments", id, "source", "freshness")
		}
		d.Recipients = f.recipients(d.Webhooks, "tenants", name, "deployments", id, "webhooks")
		t.Deployments[id] = d
	}
}

// recipients reads the webhooks of a deployment, which stand at a path.
func (f *file) recipients(list []WebhookEntry, path ...any) []notify.Webhook {
	var read []notify.Webhook
	for i, w := range list {
		parsed, err := notify.Parse(w.URL, w.Secret)
		if err != nil {
			f.faultsAt(err, "webhook", append(path, i)...)
			continue
		}
		read = append(read, parsed)
	}
	return read
}

// checkSpreadsheets wants every host to have a name of its own, of which its kind of spreadsheets may be told.
func (f *file) checkSpreadsheets(name string, t TenantEntry) {
	names, words := map[string]bool{}, map[placements.Host]string{}
	for _, s := range t.Spreadsheets {
		at := []any{"tenants", name, "spreadsheets", s.At}
		word, mapped := s.At.(string)
		switch {
		case mapped && s.Holds == "":
			f.fault(f.place(at...), "tenant %s: spreadsheets %q: %s", name, word, kindWord(word))
		case mapped && words[s.Holds] != "":
			f.fault(f.place(at...), "tenant %s: spreadsheets: %s and %s are words for one kind: leave one out, or write a list of hosts with names",
				name, words[s.Holds], word)
		case mapped && s.named:
			f.fault(f.place(append(at, "name")...), "tenant %s: spreadsheets %s: a host of a mapping is named after its key: write a list of hosts for other names",
				name, word)
		case !mapped:
			f.checkName(name, s, names, at...)
		}
		if mapped {
			words[s.Holds] = word
		}
		for id, patterns := range s.Documents {
			f.checkDocuments(t, id, patterns, append(slices.Clone(at), "documents", id)...)
		}
	}
}

// kindWord says how a mapping names a kind of spreadsheets, which a wrong word may mean.
func kindWord(wrong string) string {
	words := []string{placements.SheetsA.Word(), placements.SheetsB.Word()}
	if word, near := yaml.Nearest(wrong, words); near {
		return "write " + word + " if you mean that"
	}
	return fmt.Sprintf("a mapping says %s (%s) or %s (%s); hosts of other names are a list: - {name: %s, kind: …}",
		words[0], placements.SheetsA, words[1], placements.SheetsB, wrong)
}

// checkName checks the name of a host of a list, which stands at a path; taken are those before it.
func (f *file) checkName(tenant string, s HostEntry, taken map[string]bool, path ...any) {
	lower, at := strings.ToLower(s.Name), f.place(append(path, "name")...)
	kind, word := placements.ParseHost(lower)
	if !word {
		kind, word = placements.ParseHost(strings.ToUpper(s.Name))
	}
	switch {
	case s.Name == "":
		f.fault(at, "tenant %s: spreadsheets: name: missing; each host of a list has one", tenant)
	case !tenantName.MatchString(s.Name):
		f.fault(at, "tenant %s: spreadsheets: name %q: a name has letters, digits, - and _, at most 63", tenant, s.Name)
	case taken[lower]:
		f.fault(at, "tenant %s: spreadsheets: name %q is there twice", tenant, s.Name)
	case word && kind != s.Holds:
		f.fault(at, "tenant %s: spreadsheets: name %q: that is another kind of spreadsheets than kind %s has", tenant, s.Name, s.Kind)
	}
	taken[lower] = true
}

// checkDocuments checks the patterns of a deployment, which stand at a path.
func (f *file) checkDocuments(t TenantEntry, deployment int64, patterns []string, path ...any) {
	if _, known := t.Deployments[deployment]; !known {
		f.fault(f.place(path...), "documents: there is no deployment %d", deployment)
	}
	for i, pattern := range patterns {
		if err := placements.CheckPattern(pattern); err != nil {
			f.fault(f.place(append(path, i)...), "documents: %v", err)
		}
	}
}
