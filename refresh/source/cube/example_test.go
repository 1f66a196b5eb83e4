package cube_test

import (
	"context"
	"fmt"

	"mooring/refresh/source/cube"
)

func ExampleConfig() {
	_, err := new(cube.Config).Open(context.Background())
	fmt.Println(err)
	// Output: url: missing; kind cube needs it
}
