package parameter_test

import (
	"fmt"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/parameter"
)

// A placement takes its region from a cell: once that is read, its query can be made.
func ExampleReadings() {
	of := []placements.Parameter{{Name: "region", Type: placements.ParameterText, FromCells: true}}
	p := &placements.Placement{ID: "p", Parameters: placements.ParameterSettings{"region": {Cell: "Setup!B2"}}}
	var readings parameter.Readings
	_, err := readings.Arguments(p, of)
	fmt.Println(err)

	feeds := parameter.Feeds(p, of)
	found := []host.FoundParameter{{At: feeds[0].Cells.At, Cells: []host.TypedCell{{Value: checksum.Str("North")}}}}
	readings.Keep(p, parameter.NewReading(feeds, found, false))
	with, _ := readings.Arguments(p, of)
	fmt.Println(with.Values()["region"].Scalars()[0].Text())
	// Output:
	// the cells from which the report takes values were not read
	// North
}
