package config

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// Warnings returns a sentence for each part of the configuration that works and is not safe, or that will not do what it is there for.
func (cfg *Config) Warnings(ctx context.Context) []string {
	return slices.Concat(cfg.ofPublicURL(), cfg.ofListen(), cfg.ofProxies(), cfg.ofSecrets(), cfg.ofWebhooks(ctx))
}

// encrypted reports whether people reach the service by https.
func (cfg *Config) encrypted() bool { return strings.HasPrefix(cfg.PublicURL, "https://") }

func (cfg *Config) ofPublicURL() []string {
	u, err := url.Parse(cfg.PublicURL)
	if err != nil || cfg.PublicURL == "" || cfg.encrypted() || isLoopback(u.Hostname()) {
		return nil
	}
	return []string{"publicURL is not https: what people sign in with goes over the network unencrypted, and Excel takes no add-in from it; " +
		"put a proxy that ends https before the service, and write publicURL: https://" + u.Host}
}

// ofListen warns of plain HTTP on an address that other machines reach, if nothing says that a proxy is before it.
func (cfg *Config) ofListen() []string {
	host, port, err := net.SplitHostPort(cfg.Listen)
	if err != nil || isLoopback(host) || cfg.encrypted() || len(cfg.TrustedProxies) > 0 {
		return nil
	}
	return []string{fmt.Sprintf("listen: %s answers plain HTTP to other machines: put a proxy that ends https before it, and set publicURL and "+
		"trustedProxies; or write listen: 127.0.0.1:%s", cfg.Listen, port)}
}

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

func (cfg *Config) ofProxies() (warnings []string) {
	for _, proxy := range cfg.TrustedProxies {
		if network, err := netip.ParsePrefix(proxy); err == nil && network.Bits() == 0 {
			warnings = append(warnings, fmt.Sprintf("trustedProxies: %s trusts every client to say from where it comes: name the proxies only", proxy))
		}
	}
	return warnings
}

// commonWords occur in secrets of examples, and hardly ever in random ones.
var commonWords = []string{"secret", "changeme", "change-me", "change_me", "example", "password", "mooring"}

func (cfg *Config) ofSecrets() (warnings []string) {
	for _, k := range cfg.Signing.Keys {
		if k.Algorithm == "HS256" && isGuessable(k.Secret) {
			warnings = append(warnings, fmt.Sprintf("the secret of signing key %q looks like one of an example, with which others can sign tokens: "+
				"make one with openssl rand -hex 32", k.ID))
		}
	}
	return warnings
}

// isGuessable reports whether a secret holds a common word, or repeats a shorter text.
func isGuessable(secret string) bool {
	lower := strings.ToLower(secret)
	for _, word := range commonWords {
		if strings.Contains(lower, word) {
			return true
		}
	}
	return secret != "" && strings.Contains((secret + secret)[1:2*len(secret)-1], secret)
}

// ofWebhooks warns of recipients whose names lead nowhere.
func (cfg *Config) ofWebhooks(ctx context.Context) (warnings []string) {
	for _, name := range slices.Sorted(maps.Keys(cfg.Tenants)) {
		t := cfg.Tenants[name]
		for _, id := range slices.Sorted(maps.Keys(t.Deployments)) {
			for _, w := range t.Deployments[id].Webhooks {
				if host := unknownHost(ctx, w.URL); host != "" {
					warnings = append(warnings, fmt.Sprintf("tenant %s: a webhook of deployment %d goes to %s, a name that leads to no address", name, id, host))
				}
			}
		}
	}
	return warnings
}

// unknownHost returns the host of an address if there is none of that name, and "" where that is not sure.
func unknownHost(ctx context.Context, address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return ""
	}
	_, err = net.DefaultResolver.LookupHost(ctx, u.Hostname())
	if refused, ok := errors.AsType[*net.DNSError](err); ok && refused.IsNotFound {
		return u.Hostname()
	}
	return ""
}
