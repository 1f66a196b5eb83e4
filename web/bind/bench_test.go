package bind_test

import (
	"testing"

	"mooring/web/bind"
)

func BenchmarkRead(b *testing.B) {
	raw := []byte(`{"externalWorkbookId":"1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms","resultLocation":"Sheet1!B2:D20","anchorCell":"B2","sheetName":"Sheet1",` +
		`"endResultCell":"D20","resultChecksum":{"v":2,"chunks":[{"from":0,"to":16,"hash":"0123456789abcdef0123456789abcdef"},{"from":16,"to":19,"hash":"0123456789abcdef0123456789abcdef"}]}}`)
	type connection struct {
		workbook, location, anchor, sheet, end, id, sheetID, name string
		only                                                      bool
		sum                                                       *sum
	}
	for b.Loop() {
		var c connection
		faults, err := bind.Read(raw, bind.Options{}, func(o *bind.Object) {
			o.Text("externalWorkbookId", &c.workbook, bind.AnyLength)
			o.Text("resultLocation", &c.location, bind.AnyLength)
			o.Flag("addressOnly", &c.only)
			o.Text("anchorCell", &c.anchor, bind.AnyLength)
			o.Text("endResultCell", &c.end, bind.AnyLength)
			o.Text("placementId", &c.id, bind.AnyLength)
			o.Text("sheetId", &c.sheetID, bind.AnyLength)
			o.Text("sheetName", &c.sheet, bind.AnyLength)
			o.Text("workbookName", &c.name, bind.AnyLength)
			bind.Pointer(o, "resultChecksum", &c.sum, func(o *bind.Object, s *sum) {
				bind.Whole(o, "v", &s.V, 0)
				bind.Objects(o, "chunks", &s.Chunks, 512, func(o *bind.Object, c *chunk) {
					bind.Whole(o, "from", &c.From, 0)
					o.Ignored("to")
					o.Text("hash", &c.Hash, 32)
				})
			})
		})
		if err != nil || len(faults) > 0 {
			b.Fatal(faults, err)
		}
	}
}
