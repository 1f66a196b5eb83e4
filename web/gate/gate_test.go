package gate

import (
	"testing"
)

func TestHostNames(t *testing.T) {
	for host, want := range map[string]string{
		"Acme.example.com":      "acme.example.com",
		"acme.example.com:8080": "acme.example.com",
		"acme.example.com.":     "acme.example.com",
		"[::1]:80":              "::1",
		"":                      "",
	} {
		if got := hostname(host); got != want {
			t.Errorf("hostname(%q) = %q, want %q", host, got, want)
		}
	}
}
