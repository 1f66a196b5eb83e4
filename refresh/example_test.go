package refresh_test

import (
	"fmt"

	"mooring/refresh"
)

// A webhook is an address and a secret; what cannot work is refused when the configuration is read.
func ExampleParseWebhook() {
	_, err := refresh.ParseWebhook("https://hooks.example.com/mooring", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	fmt.Println(err)
	_, err = refresh.ParseWebhook("ftp://hooks.example.com", "short")
	fmt.Println(err != nil)
	// Output:
	// <nil>
	// true
}
