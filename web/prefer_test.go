package web

import "testing"

// What the service applied of Prefer it says, and a packed body is refused as such.
func TestPreferencesAreConfirmed(t *testing.T) {
	a := onEmbedded(t)
	a.run(t, []step{report("Sales")})
	for prefer, want := range map[string]string{
		"handling=strict":                 "handling=strict",
		"return=minimal":                  "return=minimal",
		"return=minimal, handling=strict": "handling=strict, return=minimal",
		"handling=lenient":                "",
	} {
		w := a.send(step{method: "PUT", path: connectPath, body: `{"externalWorkbookId":"book","resultLocation":"Data!B2"}`, header: map[string]string{"Prefer": prefer}})
		if got := w.Header().Get("Preference-Applied"); w.Code != 200 || got != want {
			t.Errorf("%s: %d, Preference-Applied %q, want %q", prefer, w.Code, got, want)
		}
	}
	a.run(t, []step{{
		name: "a packed body", method: "POST", path: "/reports", body: "\x1f\x8b", header: map[string]string{"Content-Encoding": "gzip"},
		status: 415, holds: `{"code":"unsupported_content_encoding"}`,
	}})
}
