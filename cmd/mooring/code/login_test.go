package code

import "testing"

func TestAddressesOfServers(t *testing.T) {
	for text, want := range map[string]string{
		"https://Acme.example.com/":     "https://acme.example.com",
		"https://example.com":           "https://example.com",
		"http://127.0.0.1:8080":         "http://127.0.0.1:8080",
		"http://127.0.0.2":              "http://127.0.0.2",
		"http://[::1]:80":               "http://[::1]:80",
		"http://localhost:8080":         "http://localhost:8080",
		"http://LOCALHOST":              "http://localhost",
		"https://acme.example.com/m/":   "https://acme.example.com/m",
		"acme.example.com":              "",
		"ftp://acme.example.com":        "",
		"https://me:pw@acme.example.de": "",
		"https://acme.example.com/?a=b": "",
	} {
		if got, err := serverAddress(text); got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
}
