package catalog_test

import (
	"context"
	"fmt"

	"mooring/refresh/catalog"
	"mooring/refresh/source"
	"mooring/storage/record"
)

// People who type a search are answered from what the source listed for the first of them.
func Example() {
	var c catalog.Catalogs
	s := &wide{tables: 3, columns: 1}
	var from source.Source = s
	for _, text := range []string{"t", "ta", "table_2"} {
		l, err := c.Get(context.Background(), record.Deployment{Tenant: "acme", ID: 1}, from, record.Actor{ID: 7}, false)
		if err != nil {
			fmt.Println(err)
			return
		}
		for place, d := range l.Search(text, "") {
			fmt.Println(text, "-", place, "-", d.Name)
		}
	}
	fmt.Println(len(s.asked))
	// Output:
	// t - 0 Table_0 - Table_0
	// t - 1 Table_1 - Table_1
	// t - 2 Table_2 - Table_2
	// ta - 0 Table_0 - Table_0
	// ta - 1 Table_1 - Table_1
	// ta - 2 Table_2 - Table_2
	// table_2 - 2 Table_2 - Table_2
	// 1
}
