package signing_test

import (
	"fmt"
	"strings"
	"testing"

	"mooring/refresh/signing"
)

// The values are those of the reference implementations' tests.
func Example() {
	secret, err := signing.Secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	fmt.Println(signing.Signature(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", []byte(`{"test": 2432232314}`)), err)
	// Output: v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE= <nil>
}

func TestSecrets(t *testing.T) {
	for text, want := range map[string]string{
		"":                                       "needs at least 24 bytes",
		"whsec_":                                 "needs at least 24 bytes",
		"whsec_c2hvcnQ=":                         "needs at least 24 bytes",
		"whsec_never base64":                     "what follows whsec_ is not base64",
		strings.Repeat("x", 23):                  "needs at least 24 bytes",
		strings.Repeat("x", 24):                  "",
		"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw": "",
	} {
		_, err := signing.Secret(text)
		if got := fmt.Sprint(err); err == nil && want != "" || err != nil && got != want {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if secret, err := signing.Plain("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"); len(secret) != 38 || err != nil {
		t.Errorf("plain: %q, %v", secret, err)
	}
}
