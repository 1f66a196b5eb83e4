package portable_test

import (
	"encoding/json"
	"fmt"
	"time"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/record/portable"
)

// A plan says what applying a bundle would do. Here the server has nothing yet.
func Example() {
	var b portable.Bundle
	err := json.Unmarshal([]byte(`{"project":"finance","assets":[
		{"kind":"report","ref":"SalesRegion1","definition":{"name":"Sales","sqlQuery":"SELECT 1"}}]}`), &b)
	if err == nil {
		err = b.Check()
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	planning := portable.Planning{
		Deployment: 1, Bundle: &b, Timezone: "UTC", Now: time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC),
		Who: record.Actor{ID: 7, Actions: []string{record.ActionAll}},
		Held: &portable.Holdings{
			Reports: map[string]*portable.HeldReport{}, Refused: map[string]*placements.Error{},
		},
	}
	plan, _, err := planning.Make()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, a := range plan.Assets {
		fmt.Println(a.Action, a.Name())
	}
	// Output: create report:SalesRegion1
}
