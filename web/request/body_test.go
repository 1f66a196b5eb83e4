package request

import (
	"net/http/httptest"
	"testing"
)

func TestStrictPreference(t *testing.T) {
	for header, want := range map[string]bool{
		"":                                   false,
		"handling=strict":                    true,
		"Handling = \"Strict\"; foo=1":       true,
		"respond-async, handling=strict":     true,
		"handling=lenient":                   false,
		"strict":                             false,
		"wait=10;handling=strict, return=no": false,
	} {
		c := callOf(httptest.NewRequest("PUT", "/", nil))
		c.Request.Header.Set("Prefer", header)
		if got := c.Strict(); got != want {
			t.Errorf("strict(%q) = %t, want %t", header, got, want)
		}
	}
}

func TestMediaType(t *testing.T) {
	for contentType, want := range map[string]bool{
		"":                                  true,
		"application/json":                  true,
		"application/json; charset=utf-8":   true,
		"application/merge-patch+json":      true,
		"text/plain":                        false,
		"application/x-www-form-urlencoded": false,
		"application/jsonx":                 false,
		";":                                 false,
	} {
		if got := isJSON(contentType); got != want {
			t.Errorf("isJSON(%q) = %t, want %t", contentType, got, want)
		}
	}
}
