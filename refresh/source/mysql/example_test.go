package mysql_test

import (
	"context"
	"fmt"

	"mooring/refresh/source/mysql"
)

func ExampleConfig() {
	_, err := (&mysql.Config{RowSecurity: true}).Open(context.Background())
	fmt.Println(err)
	// Output:
	// url: missing; kind mysql needs it
	// rowSecurity: MariaDB and MySQL have no row-level security; leave it out, and give each group of readers a deployment with a login of its own
}
