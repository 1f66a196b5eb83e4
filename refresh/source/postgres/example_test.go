package postgres_test

import (
	"context"
	"fmt"

	"mooring/refresh/source/postgres"
)

func ExampleConfig() {
	_, err := new(postgres.Config).Open(context.Background())
	fmt.Println(err)
	// Output: url: missing; kind postgres needs it
}
