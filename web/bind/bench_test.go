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
		faults, err := bind.Read(raw, bind.BodyOptions{Depth: 64}, func(o *bind.Object) {
			bind.Text(o, "externalWorkbookId", &c.workbook, bind.AnyLength)
			bind.Text(o, "resultLocation", &c.location, bind.AnyLength)
			o.Flag("addressOnly", &c.only)
			bind.Text(o, "anchorCell", &c.anchor, bind.AnyLength)
			bind.Text(o, "endResultCell", &c.end, bind.AnyLength)
			bind.Text(o, "placementId", &c.id, bind.AnyLength)
			bind.Text(o, "sheetId", &c.sheetID, bind.AnyLength)
			bind.Text(o, "sheetName", &c.sheet, bind.AnyLength)
			bind.Text(o, "workbookName", &c.name, bind.AnyLength)
			bind.Pointer(o, "resultChecksum", &c.sum, func(o *bind.Object, s *sum) {
				bind.Whole(o, "v", &s.V, 0)
				bind.Objects(o, "chunks", &s.Chunks, 512, func(o *bind.Object, c *chunk) {
					bind.Whole(o, "from", &c.From, 0)
					o.Ignored("to")
					bind.Text(o, "hash", &c.Hash, 32)
				})
			})
		})
		if err != nil || len(faults) > 0 {
			b.Fatal(faults, err)
		}
	}
}
