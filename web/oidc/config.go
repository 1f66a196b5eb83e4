package oidc

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"

	"mooring/storage/record"
)

// Config says who vouches for people, and what they may do.
type Config struct {
	Issuer       string `yaml:"issuer"`
	ClientID     string `yaml:"clientId"`
	ClientSecret string `yaml:"clientSecret"`                   // empty: the provider knows a public client
	TenantClaim  string `yaml:"tenantClaim"`                    // the claim that names the tenant
	UIDClaim     string `yaml:"uidClaim"`                       // the claim that is the user's number; empty: a number is allocated
	EmailTrusted bool   `yaml:"emailTrusted" json:",omitempty"` // its emails count without a claim that they are verified

	Actions map[string][]string `yaml:"actions"` // by group
	Roles   map[string][]int64  `yaml:"roles"`   // by group
}

// Check returns every fault of a configuration, each on a line of its own.
func (c Config) Check() error {
	var faults []error
	if err := checkIssuer(c.Issuer); err != nil {
		faults = append(faults, err)
	}
	if c.ClientID == "" {
		faults = append(faults, errors.New("clientId: expected the id under which the issuer knows this service"))
	}
	if c.TenantClaim == "" {
		faults = append(faults, errors.New("tenantClaim: expected the name of the claim that names the tenant"))
	}
	if len(c.Actions)+len(c.Roles) == 0 {
		faults = append(faults, errors.New("actions: no group may do anything; write one such as finance: [ReportRead]"))
	}
	for _, group := range slices.Sorted(maps.Keys(c.Actions)) {
		for _, action := range c.Actions[group] {
			if !record.IsAction(action) {
				faults = append(faults, fmt.Errorf("actions: group %s: there is no action %q", group, action))
			}
		}
	}
	return errors.Join(faults...)
}

func checkIssuer(issuer string) error {
	u, err := url.Parse(issuer)
	if err != nil || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return errors.New("issuer: expected an address such as https://login.example.com")
	}
	if !secureAddress(issuer) {
		return errors.New("issuer: expected an https address")
	}
	return nil
}

// secureAddress reports whether an address is one of https, since a program that changes an issuer's answers can sign in as any user; http
// is enough within one machine.
func secureAddress(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.User != nil || u.Fragment != "" {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	loopback := u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
	return u.Scheme == "https" || u.Scheme == "http" && loopback
}

// grants returns what the members of groups may do.
func (c Config) grants(groups []string) (actions []string, roles []int64) {
	for _, group := range groups {
		actions = append(actions, c.Actions[group]...)
		roles = append(roles, c.Roles[group]...)
	}
	slices.Sort(actions)
	slices.Sort(roles)
	return slices.Compact(actions), slices.Compact(roles)
}
