package wire_test

import (
	"fmt"

	"mooring/storage/record"
	"mooring/web/wire"
)

// A report for a caller who may read it only, with a key that one operation adds.
func ExampleAppendReport() {
	view := record.ReportView{ReportHead: record.ReportHead{ID: 7, Definition: record.Definition{Name: "Sales"}}}
	body, err := wire.AppendReport(nil, &view, record.MayRead, wire.Extra{Name: "overlaps", JSON: []byte("[]")})
	fmt.Println(string(body[:8]), string(body[len(body)-14:]), err)
	// Output: {"id":7, "overlaps":[]} <nil>
}
