package hook_test

import (
	"fmt"
	"net/http"
	"time"

	"mooring/refresh/signing"
	"mooring/web/hook"
)

// A sender that knows the secret of a hook signs what it tells.
func Example() {
	secret := "a secret of at least 24 bytes"
	hooks, err := hook.New([]hook.Config{{ID: "orders-loaded", Tenant: "acme", Deployment: 1, Schedule: "daily", Secret: secret}})
	fmt.Println(err)

	body, at := []byte(`{"type":"orders.loaded"}`), time.Unix(1795244700, 0)
	header := http.Header{}
	header.Set("webhook-id", "msg_1")
	header.Set("webhook-timestamp", "1795244700")
	header.Set("webhook-signature", signing.Signature([]byte(secret), "msg_1", "1795244700", body))

	told, err := hooks.Verify("orders-loaded", at, header, body)
	fmt.Println(told.Schedule, err)
	_, err = hooks.Verify("orders-loaded", at.Add(time.Hour), header, body)
	fmt.Println(err)
	// Output:
	// <nil>
	// daily <nil>
	// the timestamp "1795244700" is not within 5m0s of now
}
