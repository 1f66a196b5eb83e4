package named_test

import (
	"fmt"

	"mooring/placements"
	"mooring/refresh/source/named"
)

// A name in a text or a comment is none; values are never part of the statement.
func ExampleDialect_Bind() {
	region := placements.Parameter{Name: "region", Type: placements.ParameterText}
	with := placements.Arguments{{Parameter: &region, Value: placements.OneValue(placements.TextScalar("North'; --"))}}
	s, err := named.PostgreSQL.Bind("SELECT '@region' WHERE region = @region -- @region", with)
	fmt.Println(s.SQL, err)
	fmt.Println(s.Values[0].Text())
	// Output:
	// SELECT '@region' WHERE region =  $1  -- @region <nil>
	// North'; --
}
