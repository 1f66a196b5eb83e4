package members

import (
	"mooring/checksum"
	"mooring/placements"
	"mooring/web/bind"
)

// Options names the keys that say how a run treats a block (decisions.md §7c), in a connect as in a run and a schedule.
func Options(o *bind.Object, in *placements.Options) {
	bind.OptionalChoice(o, "onEdit", &in.OnEdit, policies)
	o.OptionalFlag("shiftRows", &in.ShiftRows)
	o.OptionalFlag("breakSignature", &in.BreakSignature)
}

var (
	policies = []placements.OnEdit{placements.Keep, placements.Overwrite, placements.Stop}
	Hosts    = []placements.Host{placements.SheetsA, placements.SheetsB}
)

// Checksum checks types only: what its numbers may be is checksum's to judge.
func Checksum(o *bind.Object, sum *checksum.ResultChecksum) {
	o.Required("v", "chunks")
	bind.Whole(o, "v", &sum.V, bind.AnyNumber)
	bind.Objects(o, "chunks", &sum.Chunks, 0, func(o *bind.Object, c *checksum.Chunk) {
		o.Required("from", "to", "hash")
		bind.Whole(o, "from", &c.From, bind.AnyNumber)
		bind.Whole(o, "to", &c.To, bind.AnyNumber)
		bind.Text(o, "hash", &c.Hash, bind.AnyLength)
	})
}

// Target names what addresses a placement (interface.md, Disconnect a report from one spot in a spreadsheet).
func Target(o *bind.Object, in *placements.Target) {
	bind.Text(o, "placementId", &in.PlacementID, MaxText)
	bind.Text(o, "externalWorkbookId", &in.ExternalWorkbookID, MaxText)
	bind.Text(o, "sheetName", &in.SheetName, MaxText)
	bind.Text(o, "anchorCell", &in.AnchorCell, MaxText)
	bind.Text(o, "resultLocation", &in.ResultLocation, MaxText)
	bind.Text(o, "sheetId", &in.SheetID, MaxText)
}
