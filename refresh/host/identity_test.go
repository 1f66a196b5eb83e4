package host_test

import (
	"strings"
	"testing"

	"mooring/refresh/host"
)

func TestParseIdentity(t *testing.T) {
	const uuid, nonce = "0b3f6a1e-5c0d-4f0a-9b1e-2d3c4b5a6978", "abcDEF0123456789-_xyzQ"
	want := host.Identity{Document: uuid, Nonce: nonce}
	for _, row := range []struct {
		fact, text string
		want       host.Identity
	}{
		{"as it is kept", uuid + " " + nonce, want},
		{"as a formula", `="` + uuid + " " + nonce + `"`, want},
		{"as a formula without its =", `"` + uuid + " " + nonce + `"`, want},
		{"the shortest nonce", uuid + " " + nonce[:16], host.Identity{Document: uuid, Nonce: nonce[:16]}},
		{"a nonce too short", uuid + " " + nonce[:15], host.Identity{}},
		{"a nonce too long", uuid + " " + strings.Repeat("a", 65), host.Identity{}},
		{"capital letters in the id", strings.ToUpper(uuid) + " " + nonce, want},
		{"two spaces", uuid + "  " + nonce, host.Identity{}},
		{"more behind", uuid + " " + nonce + " x", host.Identity{}},
		{"a line behind", uuid + " " + nonce + "\n", host.Identity{}},
		{"another character in the nonce", uuid + " " + nonce[:20] + "é", host.Identity{}},
		{"no nonce", uuid, host.Identity{}},
		{"one quotation mark", `"` + uuid + " " + nonce, host.Identity{}},
		{"another formula", "=Data!$A$1", host.Identity{}},
		{"nothing", "", host.Identity{}},
	} {
		t.Run(row.fact, func(t *testing.T) {
			got := host.ParseIdentity(row.text)
			if got != row.want {
				t.Errorf("got %+v, want %+v", got, row.want)
			}
			if again := host.ParseIdentity(got.String()); again != got {
				t.Errorf("written and read again it is %+v", again)
			}
		})
	}
}

func TestNewIdentity(t *testing.T) {
	a, b := host.NewIdentity(), host.NewIdentity()
	if host.ParseIdentity("="+a.Formula()) != a || len(a.Nonce) < 22 || a.Document[14] != '4' {
		t.Errorf("made %q", a)
	}
	if a.Document == b.Document || a.Nonce == b.Nonce {
		t.Errorf("made %q and %q", a, b)
	}
}

func TestDocumentNameMarksNoBlock(t *testing.T) {
	for _, name := range []string{host.DocumentName, strings.ToUpper(host.DocumentName)} {
		if host.IsMarker(name) {
			t.Errorf("%s counts as a marker", name)
		}
	}
	if name := host.MarkerName("document"); name == host.DocumentName || !host.IsMarker(name) {
		t.Errorf("the marker of a placement %q is %q", "document", name)
	}
}
