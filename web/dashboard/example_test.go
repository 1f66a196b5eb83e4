package dashboard_test

import (
	"encoding/json"
	"fmt"

	"mooring/web/dashboard"
)

// A draft as a client sends it, and as it is stored.
func Example() {
	draft, err := dashboard.Parse([]byte(`{"title":"Sales","widgets":[{"config":{"reportPublicId":"Rep0rtOfSale"}}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	draft.Complete()
	charts, faults := draft.Charts()
	known := dashboard.Reports{ByPublicID: map[string]int64{"Rep0rtOfSale": 7}, Readable: map[int64]bool{7: true}}
	for _, c := range charts {
		faults = append(faults, c.Resolve(&known)...)
	}
	text, err := json.Marshal(draft)
	fmt.Println(string(text), faults, err)
	// Output:
	// {"kind":"CLASSIC","title":"Sales","widgets":[{"config":{"reportId":7},"id":"widget-1","type":"CHART"}]} [] <nil>
}
