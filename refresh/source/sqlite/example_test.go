package sqlite_test

import (
	"context"
	"fmt"

	"mooring/refresh/source/sqlite"
)

func ExampleConfig() {
	_, err := new(sqlite.Config).Open(context.Background())
	fmt.Println(err)
	// Output: path: missing; kind sqlite needs it
}
