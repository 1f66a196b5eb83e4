package main

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"mooring/cmd/mooring/programtest"
	"mooring/refresh/host/google/googlefake"
	"mooring/refresh/host/graph/graphfake"
	"mooring/refresh/host/hosttest/book"
	"mooring/web/oidc/oidcfake"
)

// signInTo is an issuer at its real address that knows the service of the set-ups.
func signInTo(t *testing.T, address, id, secret string) *oidcfake.Issuer {
	t.Helper()
	i := oidcfake.New(t, address)
	i.ClientID, i.ClientSecret = id, secret
	return i
}

// callback is the form of the address that is entered where the service is registered.
const callback = "`(https://[^`]*/console/signed-in)`"

// What README.md has operators type lets Mooring into one site of SharePoint, and people in by Entra ID.
func TestSharePointByTheReadme(t *testing.T) {
	t.Parallel()
	fake := graphfake.Start()
	defer fake.Close()
	const finance = "https://contoso.sharepoint.com/sites/finance"
	fake.AddSite(finance, graphfake.None, "Documents")
	fake.AddTo(graphfake.DriveOf(finance, "Documents"), "Budget/plan.xlsx", "01PLAN", book.New(graphfake.Rows, graphfake.Columns, "Data"))
	directory := signInTo(t, "https://login.microsoftonline.com/"+graphfake.Tenant+"/v2.0", graphfake.ClientID, graphfake.ClientSecret)
	login := http.NewServeMux()
	login.Handle("/"+graphfake.Tenant+"/oauth2/", ledTo(t, strings.TrimSuffix(fake.URL, "/v1.0")))
	login.Handle("/", directory)
	s := newSetup(t, "SharePoint, with the least rights", map[string]http.Handler{
		"graph.microsoft.com": ledTo(t, strings.TrimSuffix(fake.URL, "/v1.0")), "login.microsoftonline.com": login,
	}, map[string]string{
		"TENANT_ID=00000000-0000-0000-0000-000000000000": "TENANT_ID=" + graphfake.Tenant,
		"CLIENT_ID=00000000-0000-0000-0000-000000000000": "CLIENT_ID=" + graphfake.ClientID,
		"CLIENT_SECRET=the-value":                        "CLIENT_SECRET=" + graphfake.ClientSecret,
		"ADMIN_TOKEN=the-text":                           "ADMIN_TOKEN=" + graphfake.AdminToken,
	})
	directory.Callback = s.names(callback)
	role := s.names("with the value `([^`]+)`")
	s.types(nil)
	s.prints("msg=serving")
	s.keepsPromises()
	for fact, tt := range map[string]struct {
		claims map[string]any
		want   string
	}{
		"whom the role was given":  {map[string]any{"roles": []string{role}}, "/console/ ReportEdit ReportRead WorkbookEdit WorkbookRead"},
		"another of the directory": {map[string]any{}, "/console/ ReportRead WorkbookRead"},
	} {
		tt.claims["tid"], tt.claims["sub"], tt.claims["oid"] = graphfake.Tenant, fact, fact
		directory.Vouch(tt.claims)
		got, user := s.signsIn(directory.URL)
		if got != tt.want {
			t.Errorf("%s: %q, want %q", fact, got, tt.want)
		}
		tt.claims["sub"] = "of another application"
		directory.Vouch(tt.claims)
		if _, again := s.signsIn(directory.URL); again != user {
			t.Errorf("%s: the user %d is %d the next time", fact, user, again)
		}
	}
}

// What README.md has operators type lets agents into the spreadsheets of a service account, and people in by Google.
func TestGoogleByTheReadme(t *testing.T) {
	t.Parallel()
	fake, err := googlefake.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer fake.Close()
	fake.Add("1AbC", book.New(1000, 26, "Sheet1"))
	google := signInTo(t, "https://accounts.google.com", "5678.apps.googleusercontent.com", "a secret")
	s := newSetup(t, "Google Workspace", map[string]http.Handler{"sheets.googleapis.com": ledTo(t, fake.URL), "accounts.google.com": google}, map[string]string{
		"CLIENT_ID=1234.apps.googleusercontent.com": "CLIENT_ID=" + google.ClientID,
		"CLIENT_SECRET=the-secret":                  "CLIENT_SECRET='" + google.ClientSecret + "'",
	})
	google.Callback = s.names(callback)
	s.types(map[string][]byte{"sa.json": fake.ServiceAccount()})
	s.prints("all is typed")
	s.keepsPromises()
	s.prints(googlefake.Email)
	fake.Edit("1AbC", func(b *book.Book) {
		if got := b.Sheets[0].Cell(2, 2).Value; got != "Ana" {
			t.Errorf("C3 of the spreadsheet is %v\n%s", got, s.out)
		}
	})
	for _, name := range []string{"Code.js", "sidebar.html", "appsscript.json"} {
		written, err := os.ReadFile(filepath.Join(s.dir, "addin", name))
		if err != nil || len(written) == 0 || name == "Code.js" && !strings.Contains(string(written), "https://mooring.example.com") {
			t.Errorf("%s: %d bytes without the server, %v", name, len(written), err)
		}
	}
	if info, err := os.Stat(filepath.Join(s.dir, "sa.json")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key of the service account: %v, %v", info.Mode(), err)
	}
	for fact, tt := range map[string]struct {
		domain, email, want string
	}{
		"whom the configuration names": {"acme.com", "ana@acme.com", "/console/ All ReportRead WorkbookRead"},
		"another of the domain":        {"acme.com", "bob@acme.com", "/console/ ReportRead WorkbookRead"},
		"another domain's":             {"evil.example", "ana@acme.com", "/console/?signin=domain "},
	} {
		google.Vouch(map[string]any{"sub": fact, "hd": tt.domain, "email": tt.email, "email_verified": true})
		if got, _ := s.signsIn(google.URL); got != tt.want {
			t.Errorf("%s: %q, want %q", fact, got, tt.want)
		}
	}
	s.saysWithWhomToShare(fake)
}

// saysWithWhomToShare checks what a run says of a spreadsheet that is not shared.
func (s *setup) saysWithWhomToShare(fake *googlefake.Server) {
	s.t.Helper()
	fake.Deny("1AbC")
	last := regexp.MustCompile(`(?m)^mooring refresh .*$`).FindString(s.commands)
	before, _, _ := strings.Cut(s.commands, "cat >mooring.yaml")
	again := &setup{world: s.world, dir: s.dir, commands: before + last, out: programtest.NewOutput(), ended: make(chan struct{})}
	again.runs()
	again.prints("share it with " + googlefake.Email + " as an editor")
}

// keepsPromises checks that the commands printed the lines that the section shows.
func (s *setup) keepsPromises() {
	s.t.Helper()
	if len(s.promised) == 0 {
		s.t.Error("README.md promises nothing")
	}
	for _, line := range s.promised {
		if !strings.Contains(s.out.String(), line+"\n") {
			s.t.Errorf("%q is not printed:\n%s", line, s.out)
		}
	}
	if strings.Contains(s.out.String(), "FAILED") {
		s.t.Errorf("something failed:\n%s", s.out)
	}
}
