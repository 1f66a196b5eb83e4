package source_test

import (
	"fmt"

	"mooring/refresh/source"
)

// Sizes in the configuration are written with their unit.
func ExampleParseSize() {
	size, err := source.ParseSize("256MiB")
	fmt.Println(int64(size), size, err)
	_, err = source.ParseSize("a lot")
	fmt.Println(err != nil)
	// Output:
	// 268435456 256 MiB <nil>
	// true
}
