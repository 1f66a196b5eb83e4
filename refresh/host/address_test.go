package host_test

import (
	"net/url"
	"path"
	"strings"
	"testing"
	"unicode/utf8"

	"mooring/refresh/host"
)

func TestParseAddress(t *testing.T) {
	plan := host.FileAddress{Host: "contoso.sharepoint.com", Path: "sites/fin/Shared Documents/plan.xlsx", Name: "plan.xlsx"}
	local := host.FileAddress{Name: "plan.xlsx"}
	none := host.FileAddress{}
	for _, row := range []struct {
		fact, text string
		want       host.FileAddress
	}{
		{"encoded", "https://contoso.sharepoint.com/sites/fin/Shared%20Documents/plan.xlsx", plan},
		{"not encoded", "https://contoso.sharepoint.com/sites/fin/Shared Documents/plan.xlsx", plan},
		{"capitals in the host", "HTTPS://Contoso.SharePoint.com/sites/fin/Shared%20Documents/plan.xlsx", plan},
		{"query and fragment", "https://contoso.sharepoint.com/sites/fin/Shared%20Documents/plan.xlsx?web=1#A1", plan},
		{"its own port", "https://contoso.sharepoint.com:443/sites/fin/Shared%20Documents/plan.xlsx", plan},
		{"doubled slashes", "https://contoso.sharepoint.com//sites/fin//Shared%20Documents/plan.xlsx", plan},
		{"as Excel for the web has it", "https://contoso.sharepoint.com/:x:/r/sites/fin/Shared%20Documents/plan.xlsx?d=w1", plan},
		{
			"a shared link", "https://contoso.sharepoint.com/:x:/s/fin/EaBc?e=1",
			host.FileAddress{Host: "contoso.sharepoint.com", Path: ":x:/s/fin/EaBc", Shared: true},
		},
		{
			"a percent sign that encodes nothing", "https://contoso.sharepoint.com/sites/fin/100% sure.xlsx",
			host.FileAddress{Host: "contoso.sharepoint.com", Path: "sites/fin/100% sure.xlsx", Name: "100% sure.xlsx"},
		},
		{
			"letters of all kinds", "https://contoso.sharepoint.com/sites/fin/B%C3%BCro%20%26%20%23%201.xlsx",
			host.FileAddress{Host: "contoso.sharepoint.com", Path: "sites/fin/Büro & # 1.xlsx", Name: "Büro & # 1.xlsx"},
		},
		{
			"a personal OneDrive", "https://d.docs.live.net/0123456789abcdef/Dokumente/plan.xlsx",
			host.FileAddress{Host: "d.docs.live.net", Path: "0123456789abcdef/Dokumente/plan.xlsx", Name: "plan.xlsx"},
		},
		{"a host alone", "https://contoso.sharepoint.com", host.FileAddress{Host: "contoso.sharepoint.com"}},
		{"a path of Windows", `C:\Users\ada\Documents\plan.xlsx`, local},
		{"a path of Windows on its drive", `C:plan.xlsx`, local},
		{"a path of a Mac", "/Users/ada/Documents/plan.xlsx", local},
		{"a share", `\\server\share\plan.xlsx`, local},
		{"a file's address", "file:///C:/Users/ada/plan.xlsx", local},
		{"a file's encoded address", "file:///Users/ada/my%20plan.xlsx", host.FileAddress{Name: "my plan.xlsx"}},
		{"a name alone", "plan.xlsx", local},
		{"nothing", "", none},
		{"spaces", "  ", none},
		{"a folder", `C:\Users\ada\`, none},
		{"dots", "https://contoso.sharepoint.com/sites/fin/../hr/plan.xlsx", none},
		{"encoded dots", "https://contoso.sharepoint.com/sites/fin/%2e%2e/hr/plan.xlsx", none},
		{"an encoded slash", "https://contoso.sharepoint.com/sites/fin/..%2Fhr%2Fplan.xlsx", none},
		{"an encoded backslash", "https://contoso.sharepoint.com/sites/fin/..%5Chr/plan.xlsx", none},
		{"a colon, which ends a path of the service", "https://contoso.sharepoint.com/sites/fin/a:/children", none},
		{"another's colon", "https://contoso.sharepoint.com/:x:/r/sites/fin/a%3A/children", none},
		{"a NUL", "https://contoso.sharepoint.com/sites/fin/plan%00.xlsx", none},
		{"a line", "https://contoso.sharepoint.com/sites/fin/plan%0A.xlsx", none},
		{"no UTF-8", "https://contoso.sharepoint.com/sites/fin/%ff.xlsx", none},
		{"a user before another host", "https://contoso.sharepoint.com@evil.example/plan.xlsx", none},
		{"another port", "https://contoso.sharepoint.com:8443/plan.xlsx", none},
		{"an address of a machine", "https://[::1]/plan.xlsx", none},
		{"a backslash in the host", `https://contoso.sharepoint.com\@evil.example/plan.xlsx`, none},
		{"letters in the host that look alike", "https://contosо.sharepoint.com/plan.xlsx", none},
		{"another scheme", "javascript://contoso.sharepoint.com/plan.xlsx", none},
		{"a device", `C:\Users\NUL.xlsx`, none},
		{"a device of a server", "https://contoso.sharepoint.com/sites/fin/com1", none},
		{"the folder above", "..", none},
		{"a stream of a file", `C:\plan.xlsx:secret`, none},
		{"too long", "https://contoso.sharepoint.com/" + strings.Repeat("a/", 4096), none},
	} {
		t.Run(row.fact, func(t *testing.T) {
			if got := host.ParseAddress(row.text); got != row.want {
				t.Errorf("%q is %+v, want %+v", row.text, got, row.want)
			}
		})
	}
}

func TestAddressBelow(t *testing.T) {
	site := host.ParseAddress("https://contoso.sharepoint.com/sites/Fin")
	for _, row := range []struct {
		text, want string
		ok         bool
	}{
		{"https://CONTOSO.sharepoint.com/sites/fin/Docs/a.xlsx", "Docs/a.xlsx", true},
		{"https://contoso.sharepoint.com/sites/fin", "", true},
		{"https://contoso.sharepoint.com/sites/finance/a.xlsx", "", false},
		{"https://contoso.sharepoint.com/sites", "", false},
		{"https://fabrikam.sharepoint.com/sites/fin/a.xlsx", "", false},
		{"a.xlsx", "", false},
	} {
		if got, ok := host.ParseAddress(row.text).Below(site); ok != row.ok || ok && got != row.want {
			t.Errorf("%s is %q, %t; want %q, %t", row.text, got, ok, row.want, row.ok)
		}
	}
}

func FuzzParseAddress(f *testing.F) {
	for _, text := range []string{
		"https://contoso.sharepoint.com/sites/fin/Shared%20Documents/plan.xlsx?web=1", `C:\Users\plan.xlsx`, `\\server\share\a.xlsx`,
		"https://d.docs.live.net/0/a.xlsx", "https://h/:x:/r/a%2f..", "file:///a%5C..", "https://a@b/c", "/Users/ada/..",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a := host.ParseAddress(text)
		if a == (host.FileAddress{}) {
			return
		}
		if a.Host == "" && (a.Path != "" || a.Name == "" || path.Base(a.Name) != a.Name || strings.Contains(a.Name, `\`)) {
			t.Errorf("%q is a path of a machine with more than a name: %+v", text, a)
		}
		if !utf8.ValidString(a.Path) || a.Host != strings.ToLower(a.Host) || strings.ContainsAny(a.Host, "/@:[]") {
			t.Errorf("%q is %+v", text, a)
		}
		if clean := path.Clean("/" + a.Path); clean != "/"+a.Path || !a.Shared && strings.ContainsAny(a.Path, `:\`) {
			t.Errorf("%q leads elsewhere: %+v", text, a)
		}
		if a.Host == "" {
			return
		}
		u, err := url.Parse(a.URL())
		if err != nil || u.Host != a.Host || u.Path != "/"+a.Path || u.RawQuery != "" || u.User != nil {
			t.Errorf("%q is %+v, whose address %q reads %+v (%v)", text, a, a.URL(), u, err)
		}
		if again := host.ParseAddress(a.URL()); again != a {
			t.Errorf("%q is %+v, again %+v", text, a, again)
		}
	})
}
