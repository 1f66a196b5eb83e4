package oidc

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
)

const (
	acmeID  = "11111111-2222-4333-8444-555555555555"
	otherID = "22222222-2222-4333-8444-555555555555"
	entra   = "https://login.microsoftonline.com/{tid}/v2.0"
	entraV1 = "https://sts.windows.net/{tid}/"
)

// byGroups returns a configuration of Entra ID that goes by groups, as the service lists them.
func byGroups(issuer string) Config {
	return Config{
		Issuer: issuer, Tenants: map[string]string{strings.ToUpper(acmeID): "acme", otherID: "other"}, Subject: "oid",
		Actions: map[string][]string{"6b1f9c3e-55aa-4a39-8f0a-0c6d2d9b7e11": {"ReportEdit"}},
	}
}

func byRoles(issuer string) Config {
	c := byGroups(issuer)
	c.From, c.Actions = "roles", map[string][]string{"Reports.Edit": {"ReportEdit"}}
	return c
}

func byEmail(issuer string) Config {
	return Config{
		Issuer: issuer, Tenant: "acme", From: "email",
		Actions: map[string][]string{"*@acme.com": {"ReportRead"}, "ana@ACME.com": {"ReportEdit"}},
	}
}

func ofGroup(issuer, group string) Config {
	return Config{Issuer: issuer, Tenant: "acme", Actions: map[string][]string{group: {"ReportEdit"}}}
}

func workspace() Config {
	c := byEmail(google)
	c.Tenant, c.Tenants = "", map[string]string{"Acme.com": "acme"}
	return c
}

func with(c Config, change func(*Config)) Config {
	change(&c)
	return c
}

const (
	overage    = "the token lists no groups (more than 200): use app roles"
	unverified = "the ID token does not say that it is theirs"
)

// What the services write into their ID tokens signs people in, or is refused with a sentence that says which claim decided.
func TestRecordedTokens(t *testing.T) {
	seen := map[string]bool{}
	for _, tt := range []struct {
		fact, token string
		changes     map[string]any
		config      Config
		want        string // tenant, subject, email, what is shown and actions; or a code and a part of the sentence
	}{
		{"Google goes by the email of a Workspace", "google", nil, workspace(), `acme 110169484474386276334 "Ana@acme.com" "" [ReportEdit ReportRead]`},
		{"Google's other name for itself is the same issuer", "google", map[string]any{"iss": "accounts.google.com"}, workspace(), `acme 110169484474386276334 "Ana@acme.com" "" [ReportEdit ReportRead]`},
		{"everybody of a Workspace", "google", nil, with(workspace(), func(c *Config) { c.From, c.Actions, c.Everyone = "none", nil, []string{"ReportRead"} }), `acme 110169484474386276334 "Ana@acme.com" "" [ReportRead]`},
		{"Google has no groups", "google", nil, with(workspace(), func(c *Config) { c.From = "" }), "no_group no group of the person may do anything"},
		{"a foreign hd", "google", map[string]any{"hd": "evil.example", "email": "ana@acme.com"}, workspace(), "domain tenants has no tenant for the hd"},
		{"an account without a hd", "google-gmail", nil, workspace(), "domain tenants has no tenant for the hd"},
		{"an address of Google's own", "google-gmail", nil, with(byEmail(google), func(c *Config) { c.Actions = map[string][]string{"Ana.Ruiz@gmail.com": {"All"}} }), `acme 103456789012345678901 "ana.ruiz@gmail.com" "" [All]`},
		{"an address that Google only once verified", "google-consumer", nil, byEmail(google), "email_unverified " + unverified},
		{"an email that is not verified", "google", map[string]any{"email_verified": false}, workspace(), "email_unverified " + unverified},
		{"an email of another domain", "google", map[string]any{"email": "ana@acme.com.evil.example"}, workspace(), "domain neither the email of the person nor its domain"},
		{"an email that only ends so", "google", map[string]any{"email": "ana@evilacme.com"}, workspace(), "domain neither the email"},
		{"everybody, of whom one has more", "google", map[string]any{"email_verified": false}, with(workspace(), func(c *Config) { c.Everyone = []string{"WorkbookRead"} }), `acme 110169484474386276334 "" "" [WorkbookRead]`},

		{"a user of Entra ID, whose email counts for nothing", "entra-v2", nil, byGroups(entra), `acme 3d9c5a6e-0f1b-4c0a-9a57-2f6f0f6f1a01 "" "ana@acme.com" [ReportEdit]`},
		{"its email with xms_edov", "entra-v2", map[string]any{"xms_edov": true}, byGroups(entra), `acme 3d9c5a6e-0f1b-4c0a-9a57-2f6f0f6f1a01 "ana@acme.com" "ana@acme.com" [ReportEdit]`},
		{"its email of an issuer that is trusted", "entra-v2", nil, with(byGroups(entra), func(c *Config) { c.EmailTrusted = true }), `acme 3d9c5a6e-0f1b-4c0a-9a57-2f6f0f6f1a01 "ana@acme.com" "ana@acme.com" [ReportEdit]`},
		{"by sub", "entra-v2", nil, with(byGroups(entra), func(c *Config) { c.Subject = "" }), `acme mJ8c0QxN3mC1Vg4hQd5xk2b9lqTq7rXy0aWfZpE6uVs "" "ana@acme.com" [ReportEdit]`},
		{"without the oid that is the subject", "entra-v2", map[string]any{"oid": nil}, byGroups(entra), " no oid"},
		{"of one directory, by its own address", "entra-v2", nil, with(byGroups(strings.ReplaceAll(entra, "{tid}", acmeID)), func(c *Config) { c.Tenant, c.Tenants = "acme", nil }), `acme 3d9c5a6e-0f1b-4c0a-9a57-2f6f0f6f1a01 "" "ana@acme.com" [ReportEdit]`},
		{"rights by email need the domain's owner", "entra-v2", nil, with(byEmail(entra), func(c *Config) { c.Tenant, c.Tenants = "", map[string]string{acmeID: "acme"} }), "email_unverified " + unverified},
		{"a preferred_username gives no rights", "entra-v2", map[string]any{"email": nil, "xms_edov": true}, with(byEmail(entra), func(c *Config) { c.Tenant, c.Tenants = "", map[string]string{acmeID: "acme"} }), "email_unverified " + unverified},
		{"other groups", "entra-v2", map[string]any{"groups": []string{"0e4f7d52-90d5-4c7e-a7f4-6a1c0b9d3f22"}}, byGroups(entra), "no_group no group of the person may do anything"},
		{"more than 200 groups", "entra-v2-overage", nil, byGroups(entra), "groups_overage " + overage},
		{"more than 200 groups where everybody may something", "entra-v2-overage", nil, with(byGroups(entra), func(c *Config) { c.Everyone = []string{"ReportRead"} }), "groups_overage " + overage},
		{"more than 200 groups where nothing goes by groups", "entra-v2-overage", nil, with(byGroups(entra), func(c *Config) { c.Actions, c.Everyone = nil, []string{"ReportRead"} }), `acme 3d9c5a6e-0f1b-4c0a-9a57-2f6f0f6f1a02 "" "olga@acme.com" [ReportRead]`},
		{"more groups than an address has room for", "entra-v2-overage", map[string]any{"_claim_names": nil, "hasgroups": true}, byGroups(entra), "groups_overage " + overage},
		{"app roles, however many groups", "entra-v2-roles", nil, byRoles(entra), `acme 3d9c5a6e-0f1b-4c0a-9a57-2f6f0f6f1a03 "rolf@acme.com" "rolf@acme.com" [ReportEdit]`},
		{"a user without app roles", "entra-v2", nil, byRoles(entra), "no_group no role of the person may do anything"},
		{"a guest of a group", "entra-v2-guest", nil, byGroups(entra), `acme 3d9c5a6e-0f1b-4c0a-9a57-2f6f0f6f1a04 "" "gus@partner.example" [ReportEdit]`},
		{"a foreign tid", "entra-v2-foreign", nil, byGroups(entra), "tenant tenants has no tenant for the tid"},
		{"a foreign tid with the hd of ours", "entra-v2-foreign", map[string]any{"hd": acmeID}, byGroups(entra), "tenant tenants has no tenant for the tid"},
		{"a tid of ours under a foreign issuer", "entra-v2-foreign", map[string]any{"tid": acmeID}, byRoles(entra), " not that of its tid"},
		{"another of our tids than the issuer's", "entra-v2", map[string]any{"tid": otherID}, byGroups(entra), " not that of its tid"},
		{"no tid", "entra-v2", map[string]any{"tid": nil}, byGroups(entra), " not that of its tid"},
		{"an issuer with a hole", "entra-v2", map[string]any{"iss": entra, "tid": "{tid}"}, byGroups(entra), "tenant tenants has no tenant"},

		{"version 1 has a upn and no email", "entra-v1", nil, byGroups(entraV1), `acme 3d9c5a6e-0f1b-4c0a-9a57-2f6f0f6f1a01 "" "ana@acme.com" [ReportEdit]`},
		{"version 1, more than 200 groups", "entra-v1-overage", nil, byGroups(entraV1), "groups_overage " + overage},
		{"version 1, app roles", "entra-v1-roles", nil, byRoles(entraV1), `acme 3d9c5a6e-0f1b-4c0a-9a57-2f6f0f6f1a03 "" "rolf@acme.com" [ReportEdit]`},
		{"version 1, a guest of no group", "entra-v1-guest", nil, byGroups(entraV1), "no_group no group of the person"},
		{"version 1, everybody of the directory", "entra-v1-guest", nil, with(byGroups(entraV1), func(c *Config) { c.From, c.Actions, c.Everyone = "none", nil, []string{"ReportRead"} }), `acme 3d9c5a6e-0f1b-4c0a-9a57-2f6f0f6f1a04 "" "" [ReportRead]`},

		{"Okta, by a group", "okta", nil, ofGroup("https://acme.okta.com", "Finance"), `acme 00u9vme99nxudvxZA0h7 "ana@acme.com" "ana@acme.com" [ReportEdit]`},
		{"Okta, without the claim of groups", "okta", map[string]any{"groups": nil}, ofGroup("https://acme.okta.com", "Finance"), "no_group no group"},
		{"Keycloak, by the path of a group", "keycloak", nil, ofGroup("https://sso.acme.com/realms/acme", "/finance"), `acme f1e1a3d2-6a7c-4ed8-8a51-2a1f6c9c1b77 "ana@acme.com" "ana" [ReportEdit]`},
		{"Keycloak, by another realm's group", "keycloak", map[string]any{"groups": []string{"/finance/guests"}}, ofGroup("https://sso.acme.com/realms/acme", "/finance"), "no_group no group"},
		{"Auth0 names the tenant by its organization", "auth0", nil, with(byEmail("https://acme.eu.auth0.com/"), func(c *Config) { c.Tenant, c.TenantClaim = "", "org_name" }), `acme auth0|5f7c8ec7c33c6c004bbafe82 "ana@acme.com" "" [ReportEdit ReportRead]`},
		{"Auth0's roles have names of their own", "auth0", nil, with(ofGroup("https://acme.eu.auth0.com/", "finance"), func(c *Config) { c.From = "roles" }), "no_group no role"},
		{"Auth0, an email that is not verified", "auth0-unverified", nil, byEmail("https://acme.eu.auth0.com/"), "email_unverified " + unverified},
		{"Auth0, outside of an organization", "auth0", map[string]any{"org_name": nil}, with(byEmail("https://acme.eu.auth0.com/"), func(c *Config) { c.Tenant, c.TenantClaim = "", "org_name" }), "tenant no text as org_name"},
		{"GitLab has no groups in its ID tokens", "gitlab", nil, ofGroup("https://gitlab.com", "acme/finance"), "no_group no group"},
		{"GitLab, by email", "gitlab", nil, byEmail("https://gitlab.com"), `acme 4242 "ana@acme.com" "ana" [ReportEdit ReportRead]`},
	} {
		seen[tt.token] = true
		tt.config.ClientID, tt.config.ClientSecret = "mooring", "a secret of the client"
		w := newWorld(t, tt.config.Issuer)
		w.issuers[0].Vouch(recorded(t, tt.token, tt.changes))
		who, err := w.signsIn(w.provider(tt.config), "")
		refusal, refused := errors.AsType[*Refusal](err)
		switch {
		case refused:
			code, sentence, _ := strings.Cut(tt.want, " ")
			if string(refusal.Code) != code || !strings.Contains(refusal.Reason, sentence) {
				t.Errorf("%s: refused: %s %s", tt.fact, refusal.Code, refusal.Reason)
			}
			checkSilence(t, refusal.Reason, tt.config)
		case err != nil:
			t.Errorf("%s: %v", tt.fact, err)
		default:
			if got := fmt.Sprintf("%s %s %q %q %s", who.Tenant, who.Subject, who.Email, who.Shown, who.Actions); got != tt.want {
				t.Errorf("%s: %s", tt.fact, got)
			}
		}
	}
	files, err := os.ReadDir("testdata/tokens")
	if err != nil || len(files) != len(seen) {
		t.Errorf("%d of %d bodies were tried, %v", len(seen), len(files), err)
	}
}

// checkSilence looks for what a refusal must not say: who is let in.
func checkSilence(t *testing.T, reason string, c Config) {
	t.Helper()
	for _, key := range c.keys() {
		if strings.Contains(reason, key) {
			t.Errorf("%q says who is let in: %s", reason, key)
		}
	}
	for key := range c.Tenants {
		if strings.Contains(strings.ToLower(reason), strings.ToLower(key)) {
			t.Errorf("%q says who is let in: %s", reason, key)
		}
	}
}
