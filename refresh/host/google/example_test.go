package google_test

import (
	"context"
	"fmt"

	"mooring/refresh/host/google"
)

func ExampleConfig() {
	_, err := (&google.Config{RequestsPerMinute: -1}).Open(context.Background(), nil)
	fmt.Println(err)
	// Output:
	// credentialsFile: missing; kind google needs it
	// requestsPerMinute: must not be negative
}
