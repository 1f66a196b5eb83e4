package notify_test

import (
	"fmt"

	"mooring/refresh/notify"
)

// A webhook is an address and a secret; what cannot work is refused when the configuration is read.
func ExampleParse() {
	_, err := notify.Parse("https://hooks.example.com/mooring", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	fmt.Println(err)
	_, err = notify.Parse("ftp://hooks.example.com", "short")
	fmt.Println(err != nil)
	// Output:
	// <nil>
	// true
}
