package placementstest

import "mooring/placements"

// options are what a connect makes of the options of a placement (decisions.md §7c).
func options() []Connect {
	type edit = *placements.Connection
	doc := func(edits ...func(edit)) placements.Connection {
		return with(placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!B2"}, edits...)
	}
	said := placements.Options{
		OnEdit: placements.Sent(placements.Stop), ShiftRows: placements.Sent(true), BreakSignature: placements.Sent(true),
	}
	has := func(p *placements.Placement) { p.Options = said }
	status := func(p *placements.Placement) { p.StatusCell = "B1" }
	fills := func(p *placements.Placement) { p.FillRight = "F:H" }
	address := func(c edit) { c.AddressOnly = true }
	unwritten := func(index int, p placements.Placement) placements.Change {
		return placements.Change{Placement: p, Index: index, Created: index < 0}
	}
	return []Connect{
		{
			"options sent are kept on a new placement", nil, doc(address, func(c edit) { c.Options = said }),
			unwritten(-1, with(bare(), at("Data", "B2", "", "Data!B2"), has, byEditor, func(p *placements.Placement) { p.RunAs = by42() })),
		},
		{
			"options not sent stay as they are", list(with(p1(), has)), doc(address), unwritten(0, with(p1(), has)),
		},
		{
			"a data write takes options too, and false is said", list(with(p1(), has)),
			doc(func(c edit) { c.BreakSignature, c.ShiftRows = placements.Sent(false), placements.Sent(false) }),
			upserted(0, with(p1(), has), func(p *placements.Placement) {
				p.BreakSignature, p.ShiftRows = placements.Sent(false), placements.Sent(false)
			}),
		},
		{
			"null clears an option and leaves the others", list(with(p1(), has)),
			doc(address, func(c edit) { c.OnEdit = placements.Null[placements.OnEdit]() }),
			unwritten(0, with(p1(), func(p *placements.Placement) {
				p.BreakSignature, p.ShiftRows = said.BreakSignature, said.ShiftRows
			})),
		},
		{
			"null clears shiftRows too", list(with(p1(), func(p *placements.Placement) { p.ShiftRows = said.ShiftRows })),
			doc(address, func(c edit) { c.ShiftRows = placements.Null[bool]() }), unwritten(0, p1()),
		},
		{
			"null for what was never said changes nothing", list(p1()),
			doc(address, func(c edit) {
				c.OnEdit, c.BreakSignature = placements.Null[placements.OnEdit](), placements.Null[bool]()
			}),
			unwritten(0, p1()),
		},
		{
			"a placement that moves takes its options along", list(with(p1(), has)),
			doc(address, func(c edit) { c.PlacementID, c.ResultLocation = "p1", "Data!A1" }),
			unwritten(0, with(p1(), at("Data", "A1", "C19", "Data!A1"), own(1, 1), has, byEditor)),
		},
		{
			"a status cell is kept in its normal form", list(p1()), doc(address, func(c edit) { c.StatusCell = placements.Sent("$f$1") }),
			unwritten(0, with(p1(), func(p *placements.Placement) { p.StatusCell = "F1" })),
		},
		{
			"a data write takes a status cell too", list(p1()), doc(func(c edit) { c.StatusCell = placements.Sent("B1") }),
			upserted(0, p1(), func(p *placements.Placement) { p.StatusCell = "B1" }),
		},
		{"a status cell not sent stays", list(with(p1(), status)), doc(address), unwritten(0, with(p1(), status))},
		{
			"null clears a status cell", list(with(p1(), status)),
			doc(address, func(c edit) { c.StatusCell = placements.Null[string]() }), unwritten(0, p1()),
		},
		{
			"a placement that moves takes its status cell along", list(with(p1(), status)),
			doc(address, func(c edit) { c.PlacementID, c.ResultLocation = "p1", "Data!A2" }),
			unwritten(0, with(p1(), at("Data", "A2", "C20", "Data!A2"), own(1, 1), status, byEditor)),
		},
		{
			"columns to fill are kept in their normal form", list(p1()), doc(address, func(c edit) { c.FillRight = placements.Sent("$f:h") }),
			unwritten(0, with(p1(), fills)),
		},
		{
			"a data write takes columns to fill too, right beside its block", list(p1()),
			doc(func(c edit) { c.FillRight = placements.Sent("E:E") }),
			upserted(0, p1(), func(p *placements.Placement) { p.FillRight = "E:E" }),
		},
		{"columns to fill that are not sent stay", list(with(p1(), fills)), doc(address), unwritten(0, with(p1(), fills))},
		{
			"null clears columns to fill", list(with(p1(), fills)),
			doc(address, func(c edit) { c.FillRight = placements.Null[string]() }), unwritten(0, p1()),
		},
		{
			"a placement that moves takes its columns to fill along", list(with(p1(), fills)),
			doc(address, func(c edit) { c.PlacementID, c.ResultLocation = "p1", "Data!C2" }),
			unwritten(0, with(p1(), at("Data", "C2", "E20", "Data!C2"), own(1, 1), fills, byEditor)),
		},
	}
}
