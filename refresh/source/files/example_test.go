package files_test

import (
	"context"
	"fmt"

	"mooring/refresh/source/files"
)

func ExampleConfig() {
	_, err := new(files.Config).Open(context.Background())
	fmt.Println(err)
	// Output: dir: missing; kind files needs it
}
