package auth

import "testing"

func TestCheckOrigin(t *testing.T) {
	for origin, good := range map[string]bool{
		"https://addin.example.com": true, "https://*.googleusercontent.com": true, "http://localhost:3000": true, "https://127.0.0.1:8443": true,
		"*": false, "https://*": false, "https://*.com": false, "https://a.*.example.com": false, "addin.example.com": false, "https://addin.example.com/": false,
		"https://Addin.example.com": false, "https://addin.example.com:443": false, "http://addin.example.com:80": false, "null": false, "": false, "ftp://x.example": false,
	} {
		if err := CheckOrigin(origin); (err == nil) != good {
			t.Errorf("%q: %v", origin, err)
		}
	}
}
