package oidc_test

import (
	"fmt"

	"mooring/web/oidc"
)

// A configuration is checked before a provider is made of it.
func Example() {
	c := oidc.Config{
		Issuer: "https://login.example.com", ClientID: "mooring", TenantClaim: "tenant",
		Actions: map[string][]string{"finance": {"ReportEdit"}, "staff": {"ReportReed"}},
	}
	fmt.Println(c.Check())
	c.Actions["staff"] = []string{"ReportRead"}
	fmt.Println(c.Check())
	fmt.Println("ready:", oidc.New(c).Ready())
	// Output:
	// actions: group staff: there is no action "ReportReed"
	// <nil>
	// ready: false
}
