package xlsx_test

import (
	"context"
	"fmt"
	"os"

	"mooring/refresh/host/xlsx"
)

func ExampleConfig() {
	c := xlsx.Config{Dir: os.TempDir() + "/no-such-folder/sheets"}
	_, err := c.Open(context.Background(), nil)
	fmt.Println(err != nil)
	_, err = new(xlsx.Config).Open(context.Background(), nil)
	fmt.Println(err)
	// Output:
	// true
	// dir: missing; kind xlsx needs it
}
