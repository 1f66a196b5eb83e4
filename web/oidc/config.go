package oidc

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"mooring/storage/record"
)

// Config says who vouches for people, and what they may do.
type Config struct {
	Name         string `yaml:"name"`   // by which people know the issuer; empty: see Config.label
	Issuer       string `yaml:"issuer"` // of Entra ID it may hold tidHole, which stands for each key of Tenants
	ClientID     string `yaml:"clientId"`
	ClientSecret string `yaml:"clientSecret"` // empty: the provider knows a public client

	// Exactly one of these says of which tenant a person is.
	Tenant      string            `yaml:"tenant"`
	Tenants     map[string]string `yaml:"tenants"`     // by the claim tid, where there is none by hd, in any case
	TenantClaim string            `yaml:"tenantClaim"` // the claim that names the tenant

	Subject      string `yaml:"subject"`                        // the claim that tells people apart: sub, also if empty, or oid
	UIDClaim     string `yaml:"uidClaim"`                       // the claim that is the user's number; empty: a number is allocated
	EmailTrusted bool   `yaml:"emailTrusted" json:",omitempty"` // its emails count without a claim that they are verified

	// From is the claim by which Actions and Roles say what a person may do: groups, also if empty, roles, email or none.
	From     string              `yaml:"from"`
	Actions  map[string][]string `yaml:"actions"`
	Roles    map[string][]int64  `yaml:"roles"`
	Everyone []string            `yaml:"everyone"` // actions of everybody who is of a tenant
}

// The values of Config.From and Config.Subject.
const (
	fromGroups = "groups"
	fromRoles  = "roles"
	fromEmail  = "email"
	fromNone   = "none"

	subjectSub = "sub"
	subjectOID = "oid"
)

// google is the issuer of Google's ID tokens.
const google = "https://accounts.google.com"

// tidHole is the part of an issuer's address that stands for the ids of tenants of Entra ID.
const tidHole = "{tid}"

// persons is the directory of Entra ID that has the private accounts of all people, as consumers has. An account there is had for the asking.
const persons = "9188040d-6c67-4c5b-b112-36a304b66dad"

var (
	tenantID = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
	// address is an email address, or a star in the place of everybody of a domain.
	address = regexp.MustCompile(`^(\*|[^@*\s]+)@[^@*\s]+$`)
	// anyAccount is the path of an issuer that stands for accounts of any organization.
	anyAccount = regexp.MustCompile(`^/(?i:(common|organizations|consumers|` + persons + `))(/|$)`)
)

// Check returns every fault of a configuration, each on a line of its own.
func (c Config) Check() error {
	return errors.Join(slices.Concat(c.issuerFaults(), c.tenantFaults(), subjectFaults(c.Subject), c.rightsFaults())...)
}

func (c Config) issuerFaults() (faults []error) {
	plain := strings.Replace(c.Issuer, tidHole, "tid", 1)
	u, err := url.Parse(plain)
	switch {
	case err != nil || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		faults = append(faults, errors.New("issuer: expected an address such as https://login.example.com"))
	case !secureAddress(plain):
		faults = append(faults, errors.New("issuer: expected an https address"))
	case strings.ContainsAny(plain, "{}"):
		faults = append(faults, fmt.Errorf("issuer: the only part in braces is %s, once", tidHole))
	case anyAccount.MatchString(u.Path) && (isMicrosoft(u.Hostname()) || strings.HasSuffix(u.Path, "/v2.0")):
		name := anyAccount.FindStringSubmatch(u.Path)[1]
		faults = append(faults, fmt.Errorf("issuer: %s stands for accounts of any organization, or for everybody's private ones: "+
			"write https://login.microsoftonline.com/%s/v2.0, braces and all, and the ids of the directories that you let in under tenants",
			name, tidHole))
	}
	if c.ClientID == "" {
		faults = append(faults, errors.New("clientId: expected the id under which the issuer knows this service"))
	}
	return faults
}

func isMicrosoft(host string) bool {
	return host == "sts.windows.net" || strings.HasPrefix(host, "login.microsoftonline.") || host == "login.partner.microsoftonline.cn"
}

func (c Config) tenantFaults() (faults []error) {
	ways := 0
	for _, said := range []bool{c.Tenant != "", len(c.Tenants) > 0, c.TenantClaim != ""} {
		if said {
			ways++
		}
	}
	switch {
	case ways == 0:
		faults = append(faults, errors.New("tenantClaim: expected the name of the claim that names the tenant; "+
			"or tenant, which is everybody's, or tenants by the claim tid or hd"))
	case ways > 1:
		faults = append(faults, errors.New("tenant, tenants and tenantClaim each say of which tenant a person is: keep one of them"))
	}
	seen := map[string]bool{}
	for _, key := range slices.Sorted(maps.Keys(c.Tenants)) {
		if seen[strings.ToLower(key)] {
			faults = append(faults, fmt.Errorf("tenants: %s is there twice, since upper and lower case are the same", key))
		}
		seen[strings.ToLower(key)] = true
		if key == "" {
			faults = append(faults, errors.New("tenants: expected the id of a directory or a domain, not an empty text"))
		}
		switch {
		case strings.EqualFold(key, persons):
			faults = append(faults, fmt.Errorf("tenants: %s is the directory of everybody's private accounts: name those of organizations", key))
		case c.hasHole() && !tenantID.MatchString(key):
			faults = append(faults, fmt.Errorf("tenants: %q is no id of a directory, which is what %s of issuer stands for", key, tidHole))
		}
	}
	switch {
	case c.hasHole() && len(c.Tenants) == 0:
		faults = append(faults, fmt.Errorf("issuer: %s stands for each key of tenants: write tenants: {<id of a directory>: <tenant>}", tidHole))
	case c.Issuer == google && c.Tenant != "" && len(c.Everyone) > 0:
		faults = append(faults, errors.New("everyone: with tenant, that is every person who has an account of Google: "+
			"write tenants: {<domain of your Workspace>: <tenant>}, which checks hd"))
	}
	return faults
}

// subjectFaults returns that of the claim that tells people apart.
func subjectFaults(claim string) (faults []error) {
	if !slices.Contains([]string{"", subjectSub, subjectOID}, claim) {
		faults = append(faults, fmt.Errorf("subject: expected sub or oid, not %q", claim))
	}
	return faults
}

func (c Config) rightsFaults() (faults []error) {
	keyed := len(c.Actions) + len(c.Roles)
	switch {
	case !slices.Contains([]string{"", fromGroups, fromRoles, fromEmail, fromNone}, c.From):
		faults = append(faults, fmt.Errorf("from: expected groups, roles, email or none, not %q", c.From))
	case c.From == fromNone && keyed > 0:
		faults = append(faults, errors.New("actions and roles: with from: none nothing leads to them; write everyone"))
	case c.From == fromNone && len(c.Everyone) == 0:
		faults = append(faults, errors.New("everyone: no user may do anything; write actions such as [ReportRead]"))
	case keyed+len(c.Everyone) == 0:
		faults = append(faults, fmt.Errorf("actions: no %s may do anything; write one such as finance: [ReportRead]", c.noun()))
	}
	for _, key := range c.keys() {
		if c.From == fromEmail && !address.MatchString(key) {
			faults = append(faults, fmt.Errorf("actions and roles: with from: email, expected addresses such as ana@acme.com, "+
				"or *@acme.com for a domain, not %q", key))
		}
		faults = append(faults, unknownActions(fmt.Sprintf("actions: %s %s", c.noun(), key), c.Actions[key])...)
	}
	return append(faults, unknownActions("everyone", c.Everyone)...)
}

func unknownActions(where string, actions []string) (faults []error) {
	for _, action := range actions {
		if !record.IsAction(action) {
			faults = append(faults, fmt.Errorf("%s: there is no action %q", where, action))
		}
	}
	return faults
}

// noun names what the keys of Actions and Roles are.
func (c Config) noun() string {
	switch c.From {
	case fromRoles:
		return "role"
	case fromEmail:
		return "address"
	}
	return "group"
}

// keys returns those of Actions and Roles, each once, sorted.
func (c Config) keys() []string {
	all := slices.AppendSeq(slices.Collect(maps.Keys(c.Actions)), maps.Keys(c.Roles))
	slices.Sort(all)
	return slices.Compact(all)
}

func (c Config) hasHole() bool { return strings.Contains(c.Issuer, tidHole) }

// of returns the issuer of the tokens of a directory of Entra ID.
func (c Config) of(tid string) string { return strings.Replace(c.Issuer, tidHole, tid, 1) }

// issuers returns the issuers whose tokens count.
func (c Config) issuers() []string {
	if !c.hasHole() {
		return []string{c.Issuer}
	}
	var all []string
	for tid := range c.Tenants {
		all = append(all, c.of(strings.ToLower(tid)))
	}
	return all
}

// label is by what people know the issuer: its name, else that of a service that everybody knows, else its address.
func (c Config) label() string {
	u, err := url.Parse(c.Issuer)
	switch {
	case c.Name != "":
		return c.Name
	case c.Issuer == google:
		return "Google"
	case err == nil && isMicrosoft(u.Hostname()):
		return "Microsoft"
	}
	return c.shortAddress()
}

func (c Config) shortAddress() string {
	_, address, _ := strings.Cut(c.Issuer, "://")
	return strings.TrimSuffix(address, "/")
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
