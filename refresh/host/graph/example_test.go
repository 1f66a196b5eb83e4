package graph_test

import (
	"context"
	"fmt"

	"mooring/refresh/host/graph"
)

func ExampleConfig() {
	_, err := (&graph.Config{TenantID: "contoso", ClientID: "mooring", Drive: "b!x"}).Open(context.Background(), nil)
	fmt.Println(err)
	// Output: clientSecret: missing; kind graph needs it
}
