package placementstest

import (
	"mooring/checksum"
	"mooring/placements"
)

// Connect is a rule of connecting: what a connection makes of the existing placements of a report.
type Connect struct {
	Rule       string
	Existing   []placements.Placement
	Connection placements.Connection
	Want       placements.Change
}

// Connects are the rules of the connects that are accepted, under Stamp.
func Connects() []Connect {
	var rows []Connect
	for _, group := range [][]Connect{addresses(), upserts(), moves(), renamed(), oldPlacements(), addressesOnly(), behalves(), located(), anchored(), options()} {
		rows = append(rows, group...)
	}
	return rows
}

// bare is a placement recorded by the first connect of a report.
func bare() placements.Placement {
	return placements.Placement{ID: "new", WorkbookID: "doc", Host: placements.SheetsA}
}

// The placements that stand there already; p3 is one recorded before ids existed.
func p1() placements.Placement { return moored("p1", "doc", "Data", "B2", "D20", "Data!B2") }
func p2() placements.Placement { return moored("p2", "doc", "Data", "H2", "", "Data!H2") }
func p3() placements.Placement {
	return placements.Placement{WorkbookID: "doc", Host: placements.SheetsA, SheetName: "Data", AnchorCell: "B2", ResultLocation: "Data!B2"}
}

func list(p ...placements.Placement) []placements.Placement { return p }

// created is a new placement, p after its first data write and some edits. Whatever end it claims, the service has written none of it.
func created(p placements.Placement, edits ...func(*placements.Placement)) placements.Change {
	p = with(with(p, firstWrite, byEditor), edits...)
	if r, _ := p.Rect(); r.Extent() != (checksum.Extent{Rows: 1, Columns: 1}) {
		p = with(p, own(1, 1))
	}
	return placements.Change{Placement: p, Index: -1, Created: true}
}

// own is how far the service itself has written a block whose end is a claim.
func own(rows, columns int) func(*placements.Placement) {
	return func(p *placements.Placement) { p.Own = &checksum.Extent{Rows: rows, Columns: columns} }
}

// byEditor is that who put it where it stands might edit the report, as the user of Stamp may.
func byEditor(p *placements.Placement) { p.Placer = placements.PlacedByEditor }

// upserted is the existing placement p at index after a data write and some edits.
func upserted(index int, p placements.Placement, edits ...func(*placements.Placement)) placements.Change {
	return placements.Change{Placement: with(with(p, dataWrite), edits...), Index: index}
}

// addresses are the ways to say where a placement is to stand.
func addresses() []Connect {
	return []Connect{
		{
			"an address not yet recorded becomes a placement", nil,
			placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!B2"},
			created(bare(), at("Data", "B2", "", "Data!B2")),
		},
		{
			"sheetName and anchorCell give the address", nil,
			placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "B2:D20", SheetName: "It's", AnchorCell: "$b$2"},
			created(bare(), at("It's", "B2", "D20", "B2:D20")),
		},
		{
			"sheetName gives the sheet and resultLocation the anchor", nil,
			placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "$c$3", SheetName: "Data"},
			created(bare(), at("Data", "C3", "", "$c$3")),
		},
		{
			"a sheet and an anchor said twice may be spelled differently", nil,
			placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "'DATA'!$b$2", SheetName: "Data", AnchorCell: "B2"},
			created(bare(), at("Data", "B2", "", "'DATA'!$b$2")),
		},
		{
			"a sheet name in apostrophes, an apostrophe in it doubled", nil,
			placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "'It''s'!$B$2:D20"},
			created(bare(), at("It's", "B2", "D20", "'It''s'!$B$2:D20")),
		},
		{
			"a range's anchor is its top-left corner, its end the block's", nil,
			placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!D20:B2"},
			created(bare(), at("Data", "B2", "D20", "Data!D20:B2")),
		},
		{
			"endResultCell wins over the range", nil,
			placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!B2:D20", EndResultCell: "$e$30"},
			created(bare(), at("Data", "B2", "E30", "Data!B2:D20")),
		},
		{
			"endResultCell may be the anchor", nil,
			placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!B2", EndResultCell: "B2"},
			created(bare(), at("Data", "B2", "B2", "Data!B2")),
		},
		{
			"the last cell of a sheet", nil,
			placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!xfd1048576"},
			created(bare(), at("Data", "XFD1048576", "", "Data!xfd1048576")),
		},
		{
			"an unknown placementId is recorded", nil,
			placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!B2", PlacementID: "mine"},
			created(bare(), at("Data", "B2", "", "Data!B2"), id("mine")),
		},
		{
			"an unknown placementId is recorded beside the others", list(p1(), p2()),
			placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!B3", PlacementID: "mine"},
			created(bare(), at("Data", "B3", "", "Data!B3"), id("mine")),
		},
		{
			"names, ids and host are recorded as sent", nil,
			placements.Connection{
				ExternalWorkbookID: "doc", ResultLocation: "Data!B2", PlacementID: "語 <&>", WorkbookName: `"Book" \ 📈`, SheetID: "0",
				Host: placements.SheetsB,
			},
			created(bare(), at("Data", "B2", "", "Data!B2"), id("語 <&>"), func(p *placements.Placement) {
				p.WorkbookName, p.SheetID, p.Host = `"Book" \ 📈`, "0", placements.SheetsB
			}),
		},
	}
}

// upserts are connects at, or beside, an address that is recorded already.
func upserts() []Connect {
	return []Connect{
		{
			"the same address upserts the placement", list(p2(), p1()),
			placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!B2"},
			upserted(1, p1()),
		},
		{
			"the same address in another spelling", list(p2(), p1()),
			placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "data!$b$2"},
			upserted(1, p1(), at("data", "B2", "D20", "data!$b$2")),
		},
		{
			"sheet names compare by Unicode simple folding", list(with(p1(), at("ΟΔΟΣ", "B2", "", "ΟΔΟΣ!B2"))),
			placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "οδος!B2"},
			upserted(0, p1(), at("οδος", "B2", "", "οδος!B2")),
		},
		{
			"simple folding makes no two letters of one", list(with(p1(), at("STRASSE", "B2", "", "STRASSE!B2"))),
			placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "Straße!B2"},
			created(bare(), at("Straße", "B2", "", "Straße!B2")),
		},
		{
			"the same anchor of another sheet is another placement", list(p1()),
			placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "Other!B2"},
			created(bare(), at("Other", "B2", "", "Other!B2")),
		},
		{
			"the same spot of another spreadsheet is another placement", list(p1()),
			placements.Connection{ExternalWorkbookID: "doc2", ResultLocation: "Data!B2"},
			created(bare(), at("Data", "B2", "", "Data!B2"), func(p *placements.Placement) { p.WorkbookID = "doc2" }),
		},
		{
			"spreadsheet ids are exact", list(p1()),
			placements.Connection{ExternalWorkbookID: "DOC", ResultLocation: "Data!B2"},
			created(bare(), at("Data", "B2", "", "Data!B2"), func(p *placements.Placement) { p.WorkbookID = "DOC" }),
		},
		{
			"a known placementId where it stands is no move", list(p1()),
			placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!B2", PlacementID: "p1"},
			upserted(0, p1()),
		},
		{
			"an unknown placementId where a placement stands upserts that one, which keeps its id", list(p2(), p1()),
			placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "data!$b$2", PlacementID: "mine"},
			upserted(1, p1(), at("data", "B2", "D20", "data!$b$2")),
		},
		{
			"a checksum replaces the old one, whatever its version", list(p1()),
			placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!B2", ResultChecksum: newSum()},
			upserted(0, p1(), func(p *placements.Placement) { p.ResultChecksum = newSum() }),
		},
		{
			"without a checksum the old one is cleared", list(p1(), p2()),
			placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!H2"},
			upserted(1, p2(), func(p *placements.Placement) { p.ResultChecksum = nil }),
		},
		{
			"a new range is the new block", list(p1()),
			placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!B2:C9"},
			upserted(0, p1(), at("Data", "B2", "C9", "Data!B2:C9")),
		},
		{
			"names and host that are sent replace the old ones", list(p1()),
			placements.Connection{
				ExternalWorkbookID: "doc", ResultLocation: "Data!B2", WorkbookName: "New", SheetID: "8",
				Host: placements.SheetsA,
			},
			upserted(0, p1(), byEditor, own(1, 1), func(p *placements.Placement) { p.WorkbookName, p.SheetID, p.Host = "New", "8", placements.SheetsA }),
		},
		{
			"a sheetId narrows nothing: another one upserts the placement at that name", list(p1()),
			placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!B2", SheetID: "8"},
			upserted(0, p1(), func(p *placements.Placement) { p.SheetID = "8" }),
		},
		{
			"an end far away is recorded, and the service's own write stays as large as it was", list(p1()),
			placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!B2", EndResultCell: "ZZ999"},
			upserted(0, p1(), at("Data", "B2", "ZZ999", "Data!B2"), own(19, 3)),
		},
		{
			"the first data write is when it was placed", list(with(p1(), neverWritten)),
			placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!B2"},
			upserted(0, p1(), firstWrite),
		},
	}
}

// moves are connects by the placementId of a placement that stands elsewhere.
func moves() []Connect {
	return []Connect{
		{
			"a known placementId moves that placement, and its block keeps its size", list(p2(), p1()),
			placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!C5", PlacementID: "p1"},
			upserted(1, p1(), byEditor, at("Data", "C5", "E23", "Data!C5"), own(1, 1)),
		},
		{
			"a move to a range takes its size", list(p1()),
			placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!C5:C6", PlacementID: "p1"},
			upserted(0, p1(), byEditor, at("Data", "C5", "C6", "Data!C5:C6"), own(1, 1)),
		},
		{
			"a move to another sheet forgets the old sheet's id", list(p1()),
			placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "Other!B2", PlacementID: "p1"},
			upserted(0, p1(), byEditor, at("Other", "B2", "D20", "Other!B2"), own(1, 1), func(p *placements.Placement) { p.SheetID = "" }),
		},
		{
			"a move to another spreadsheet forgets its name and the sheet's id", list(p1()),
			placements.Connection{ExternalWorkbookID: "doc2", ResultLocation: "Data!B2", PlacementID: "p1"},
			upserted(0, p1(), byEditor, own(1, 1), func(p *placements.Placement) { p.WorkbookID, p.WorkbookName, p.SheetID = "doc2", "", "" }),
		},
		{
			"a move beside the same spot of another spreadsheet leaves that one alone",
			list(p1(), with(p2(), at("Data", "C5", "", "Data!C5"), func(p *placements.Placement) { p.WorkbookID = "doc2" })),
			placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!C5", PlacementID: "p1"},
			upserted(0, p1(), byEditor, at("Data", "C5", "E23", "Data!C5"), own(1, 1)),
		},
		{
			"an end that would leave the sheet stays on it", list(p1()),
			placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!XFD1048576", PlacementID: "p1"},
			upserted(0, p1(), byEditor, at("Data", "XFD1048576", "XFD1048576", "Data!XFD1048576")),
		},
	}
}

// renamed are connects that name a sheet by its id, under another name than the record has. The sheet of p1 and p2 has the id 7.
func renamed() []Connect {
	sent := func(location string, edits ...func(*placements.Connection)) placements.Connection {
		return with(placements.Connection{ExternalWorkbookID: "doc", ResultLocation: location, SheetID: "7"}, edits...)
	}
	newName := at("Renamed", "B2", "D20", "Renamed!B2")
	elsewhere := at("Renamed", "B2", "", "Renamed!B2")
	sheet7 := func(p *placements.Placement) { p.SheetID = "7" }
	return []Connect{
		{
			"a sheet that was renamed is known by its id, and the placement's name is corrected", list(p2(), p1()),
			sent("Renamed!B2"), upserted(1, p1(), newName),
		},
		{
			"a sheet that was renamed is known to an unknown placementId too, and the placement keeps its own", list(p1()),
			sent("Renamed!B2", func(c *placements.Connection) { c.PlacementID = "mine" }), upserted(0, p1(), newName),
		},
		{
			"a placement without an id, on a sheet that was renamed, takes the one sent", list(with(p3(), sheet7)),
			sent("Renamed!B2", func(c *placements.Connection) { c.PlacementID = "mine" }),
			upserted(0, p3(), firstWrite, sheet7, id("mine"), at("Renamed", "B2", "", "Renamed!B2")),
		},
		{
			"a known placementId on a sheet that was renamed is no move onto another one", list(p1()),
			sent("Renamed!B2", func(c *placements.Connection) { c.PlacementID = "p1" }), upserted(0, p1(), newName),
		},
		{
			"what stands at the sent name comes before what stands on a sheet of that id", list(p1(), with(p2(), newName, id("p4"))),
			sent("Renamed!B2"), upserted(1, p2(), newName, id("p4")),
		},
		{
			"a sheet's id names nothing at another anchor", list(p1()),
			sent("Renamed!B3"), created(bare(), at("Renamed", "B3", "", "Renamed!B3"), sheet7),
		},
		{
			"a sheet's id names nothing in another spreadsheet", list(p1()),
			sent("Renamed!B2", func(c *placements.Connection) { c.ExternalWorkbookID = "doc2" }),
			created(bare(), elsewhere, sheet7, func(p *placements.Placement) { p.WorkbookID = "doc2" }),
		},
		{
			"another sheet's id names nothing", list(p1()),
			sent("Renamed!B2", func(c *placements.Connection) { c.SheetID = "8" }),
			created(bare(), elsewhere, func(p *placements.Placement) { p.SheetID = "8" }),
		},
		{
			"without a sheet's id another name is another sheet", list(p1()),
			sent("Renamed!B2", func(c *placements.Connection) { c.SheetID = "" }), created(bare(), elsewhere),
		},
		{
			"two placements on sheets of that id are both left alone", list(p1(), with(p2(), at("Data 2", "B2", "", "'Data 2'!B2"))),
			sent("Renamed!B2"), created(bare(), elsewhere, sheet7),
		},
		{
			"addressOnly corrects the name", list(p1()),
			sent("Renamed!B2", func(c *placements.Connection) { c.AddressOnly = true }),
			placements.Change{Placement: with(p1(), newName)},
		},
	}
}

// oldPlacements are connects where a placement stands that was recorded before ids existed.
func oldPlacements() []Connect {
	old := placements.Placement{WorkbookID: "doc", Host: placements.SheetsA, ResultLocation: "'Data'!$B$2:D9"}
	return []Connect{
		{
			"a placement without an id takes the one sent", list(p3()),
			placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!B2", PlacementID: "mine"},
			upserted(0, p3(), firstWrite, id("mine")),
		},
		{
			"a placement without an id gets one", list(p3()),
			placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!B2"},
			upserted(0, p3(), firstWrite, id("new")),
		},
		{
			"a record with only a resultLocation is found by it, and names its sheet and anchor from then on", list(old),
			placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!B2:D20"},
			upserted(0, old, firstWrite, at("Data", "B2", "D20", "Data!B2:D20"), id("new"), own(8, 3)),
		},
		{
			"a record with only a resultLocation keeps the block and the sheet id that it has",
			list(with(old, func(p *placements.Placement) { p.SheetID = "7" })),
			placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "data!B2"},
			upserted(0, old, firstWrite, at("data", "B2", "D9", "data!B2"), id("new"), func(p *placements.Placement) { p.SheetID = "7" }),
		},
		{
			"a record with only a resultLocation moves with its block, and forgets the sheet id of another sheet",
			list(with(old, id("p1"), func(p *placements.Placement) { p.SheetID = "7" })),
			placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "Other!A1", PlacementID: "p1"},
			upserted(0, old, firstWrite, at("Other", "A1", "C8", "Other!A1"), id("p1"), own(1, 1), byEditor),
		},
		{
			"the same address with a checksum gives a placement without an id all that a new one has", list(p2(), p3()),
			placements.Connection{
				ExternalWorkbookID: "doc", ResultLocation: "Data!B2:D20", ResultChecksum: newSum(), WorkbookName: "Book",
				SheetID: "7",
			},
			upserted(1, p3(), firstWrite, at("Data", "B2", "D20", "Data!B2:D20"), id("new"), own(1, 1), func(p *placements.Placement) {
				p.ResultChecksum, p.WorkbookName, p.SheetID = newSum(), "Book", "7"
			}),
		},
		{
			"a placement without an id elsewhere is left alone", list(p3()),
			placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!C2", PlacementID: "mine"},
			created(bare(), at("Data", "C2", "", "Data!C2"), id("mine")),
		},
	}
}

// addressesOnly are connects that record no data write.
func addressesOnly() []Connect {
	unwritten := func(c placements.Change, p placements.Placement) placements.Change {
		c.Placement = p
		return c
	}
	return []Connect{
		{
			"addressOnly changes address, names and end, and no stamp", list(p1()),
			placements.Connection{
				ExternalWorkbookID: "doc", ResultLocation: "data!B2", AddressOnly: true,
				WorkbookName: "New", SheetID: "8", EndResultCell: "D30", ResultChecksum: newSum(),
			},
			unwritten(upserted(0, p1()), with(p1(), at("data", "B2", "D30", "data!B2"), own(19, 3), func(p *placements.Placement) { p.WorkbookName, p.SheetID = "New", "8" })),
		},
		{
			"addressOnly moves", list(p1()),
			placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!A1", AddressOnly: true, PlacementID: "p1"},
			unwritten(upserted(0, p1()), with(p1(), at("Data", "A1", "C19", "Data!A1"), own(1, 1), byEditor)),
		},
		{
			"addressOnly on a new address records no data write", nil,
			placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!B2", AddressOnly: true, ResultChecksum: newSum()},
			unwritten(created(bare()), with(bare(), at("Data", "B2", "", "Data!B2"), byEditor, func(p *placements.Placement) { p.RunAs = by42() })),
		},
		{
			"addressOnly gives a placement without an id one, and no stamp", list(p3()),
			placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!B2", AddressOnly: true},
			unwritten(upserted(0, p3()), with(p3(), id("new"))),
		},
	}
}

// HostCase is how the host of a placement is chosen.
type HostCase struct {
	Fact     string
	Sent     placements.Host // by the connect
	Recorded placements.Host // of the placement at that address; empty: none stands there
	Default  placements.Host // what the report's source says
	Want     placements.Host
}

// Hosts are the rules of a placement's host (decisions.md §4). The placement recorded stands where Hosting connects.
func Hosts() []HostCase {
	return []HostCase{
		{"SHEETS_A when nothing says otherwise", "", "", "", placements.SheetsA},
		{"what the report's source says", "", "", placements.SheetsB, placements.SheetsB},
		{"what the record says before that", "", placements.SheetsB, placements.SheetsA, placements.SheetsB},
		{"what is sent before all", placements.SheetsA, placements.SheetsB, placements.SheetsB, placements.SheetsA},
	}
}

// Existing is the placement that stands there already, if any.
func (h HostCase) Existing() []placements.Placement {
	if h.Recorded == "" {
		return nil
	}
	return list(with(p1(), func(p *placements.Placement) { p.Host = h.Recorded }))
}

// Connection is the connect of the row.
func (h HostCase) Connection() placements.Connection {
	return placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!B2", Host: h.Sent}
}
