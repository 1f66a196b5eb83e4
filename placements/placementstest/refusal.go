package placementstest

import (
	"strings"

	"mooring/checksum"
	"mooring/placements"
)

// Refusal is a connect that is refused as invalid.
type Refusal struct {
	Rule       string
	Existing   []placements.Placement
	Connection placements.Connection
	Code       placements.Code
	Faults     map[string]string // JSON pointer -> part of the message there
}

// Refusals are the connects that are refused to every caller, but for those with a bad checksum, see BadChecksums.
func Refusals() []Refusal {
	const address = placements.CodeAddress
	doc := func(location string, edits ...func(*placements.Connection)) placements.Connection {
		return with(placements.Connection{ExternalWorkbookID: "doc", ResultLocation: location}, edits...)
	}
	type edit = *placements.Connection
	return append([]Refusal{
		{
			"without a spreadsheet", nil,
			placements.Connection{ResultLocation: "Data!B2"},
			address,
			map[string]string{"/externalWorkbookId": ""},
		},
		{
			"without a resultLocation", nil,
			placements.Connection{ExternalWorkbookID: "doc", SheetName: "Data", AnchorCell: "B2"},
			address,
			map[string]string{"/resultLocation": ""},
		},
		{"without a sheet", nil, doc("B2"), address, map[string]string{"/sheetName": "No sheet is named"}},
		{"without an anchor", nil, doc("Data!"), address, map[string]string{"/resultLocation": "names no cell"}},
		{
			"two sheets", nil, doc("Data!B2", func(c edit) { c.SheetName = "Other" }), address,
			map[string]string{"/sheetName": "send the same sheet"},
		},
		{
			"two anchors", nil, doc("Data!B2", func(c edit) { c.AnchorCell = "C3" }), address,
			map[string]string{"/anchorCell": "send the same cell"},
		},
		{
			"two sheets and two anchors", nil, doc("Data!B2:D20", func(c edit) { c.SheetName, c.AnchorCell = "Other", "D20" }), address,
			map[string]string{"/sheetName": "send the same sheet", "/anchorCell": "send the same cell"},
		},
		{"a broken anchor", nil, doc("Data!B2", func(c edit) { c.AnchorCell = "B" }), address, map[string]string{"/anchorCell": "no row"}},
		{"a whole column", nil, doc("Data!B:D"), address, map[string]string{"/resultLocation": "whole column"}},
		{
			"a cell beyond the last one", nil, doc("Data!XFE1048576"), address,
			map[string]string{"/resultLocation": "beyond the last one, XFD"},
		},
		{
			"a resultLocation that is none, beside a whole address", nil,
			doc("somewhere else", func(c edit) { c.SheetName, c.AnchorCell = "Data", "B2" }),
			address,
			map[string]string{"/resultLocation": "is not a cell"},
		},
		{
			"an end before the anchor",
			nil, doc("Data!B2", func(c edit) { c.EndResultCell = "C1" }), address,
			map[string]string{"/endResultCell": "above or left"},
		},
		{
			"a broken end", nil, doc("Data!B2", func(c edit) { c.EndResultCell = "Data!C3" }), address,
			map[string]string{"/endResultCell": "is not a cell"},
		},
		{
			"an unknown host", nil, doc("Data!B2", func(c edit) { c.Host = "SHEETS_C" }), placements.CodeInvalid,
			map[string]string{"/host": "SHEETS_A"},
		},
		{
			"an unknown way with edits", nil, doc("Data!B2", func(c edit) { c.OnEdit = placements.Sent(placements.OnEdit("ask")) }),
			placements.CodeInvalid,
			map[string]string{"/onEdit": "keep, overwrite"},
		},
		{
			"an unknown way with edits and no sheet at once", nil,
			doc("B2", func(c edit) { c.OnEdit = placements.Sent(placements.OnEdit("ask")) }), placements.CodeInvalid,
			map[string]string{"/onEdit": "keep, overwrite", "/sheetName": "No sheet is named"},
		},
		{
			"an unknown host and a checksum's fault at once", nil,
			doc("Data!B2", func(c edit) { c.Host, c.ResultChecksum = "SHEETS_C", sum(0) }), placements.CodeInvalid,
			map[string]string{"/host": "SHEETS_A", "/resultChecksum/v": "at least 1"},
		},
		{
			"a status cell that is none", nil, doc("Data!B2", func(c edit) { c.StatusCell = placements.Sent("Data!A1") }), address,
			map[string]string{"/statusCell": "is not a cell"},
		},
		{
			"a status cell inside the block that is sent", nil,
			doc("Data!B2:D20", func(c edit) { c.StatusCell = placements.Sent("C3") }), address,
			map[string]string{"/statusCell": "lies inside the block of the report itself"},
		},
		{
			"a status cell inside the block that stands", list(p1()), doc("Data!B2", func(c edit) { c.StatusCell = placements.Sent("d20") }),
			address,
			map[string]string{"/statusCell": "D20 lies inside the block of the report itself"},
		},
		{
			"a status cell inside another block of the report", list(p1()), doc("Data!H2", func(c edit) { c.StatusCell = placements.Sent("C3") }),
			address,
			map[string]string{"/statusCell": "lies inside the block at Data!B2"},
		},
		{
			"a block that moves over its status cell", list(with(p1(), func(p *placements.Placement) { p.StatusCell = "B1" })),
			doc("Data!A1", func(c edit) { c.PlacementID = "p1" }), address,
			map[string]string{"/statusCell": "B1 lies inside the block of the report itself"},
		},
		{
			"columns to fill that are none", nil, doc("Data!B2", func(c edit) { c.FillRight = placements.Sent("F2:H2") }), address,
			map[string]string{"/fillRight": `"F2:H2" does not name columns`},
		},
		{
			"one column to fill without its end", nil, doc("Data!B2", func(c edit) { c.FillRight = placements.Sent("F") }), address,
			map[string]string{"/fillRight": "F:F for a single one"},
		},
		{
			"columns to fill from right to left", nil, doc("Data!B2", func(c edit) { c.FillRight = placements.Sent("H:F") }), address,
			map[string]string{"/fillRight": "end before they begin"},
		},
		{
			"columns to fill beyond the last one", nil, doc("Data!B2", func(c edit) { c.FillRight = placements.Sent("F:XFE") }), address,
			map[string]string{"/fillRight": "beyond the last one, XFD"},
		},
		{
			"columns to fill below the anchor", nil, doc("Data!B2", func(c edit) { c.FillRight = placements.Sent("B:C") }), address,
			map[string]string{"/fillRight": "the block, whose last column is B: choose columns from C on"},
		},
		{
			"columns to fill inside the block that is sent", nil,
			doc("Data!B2:D20", func(c edit) { c.FillRight = placements.Sent("D:F") }), address,
			map[string]string{"/fillRight": "whose last column is D"},
		},
		{
			"columns to fill inside the block that stands", list(p1()), doc("Data!B2", func(c edit) { c.FillRight = placements.Sent("d:e") }),
			address,
			map[string]string{"/fillRight": "D:E does not lie to the right of the block"},
		},
		{
			"a block that moves over its columns to fill", list(with(p1(), func(p *placements.Placement) { p.FillRight = "E:F" })),
			doc("Data!C2", func(c edit) { c.PlacementID = "p1" }), address,
			map[string]string{"/fillRight": "choose columns from F on"},
		},
		{
			"a sheet name that its host does not take", nil, doc("'a/b'!B2", func(c edit) { c.Host = placements.SheetsB }), address,
			map[string]string{"/resultLocation": "holds one of"},
		},
		{
			"a sheet name that the host of the record does not take", list(p1()), doc("'a/b'!B2", func(c edit) { c.PlacementID = "p1" }),
			address,
			map[string]string{"/sheetName": "holds one of"},
		},
		{
			"a control character in an id",
			nil, doc("Data!B2", func(c edit) { c.PlacementID = "a\nb" }), address,
			map[string]string{"/placementId": "plain text"},
		},
		{
			"an id too long", nil, doc("Data!B2", func(c edit) { c.PlacementID = strings.Repeat("x", 129) }), address,
			map[string]string{"/placementId": "At most 128"},
		},
		{
			"a control character in a spreadsheet's id or name", nil,
			placements.Connection{ExternalWorkbookID: "d\x00c", ResultLocation: "Data!B2", WorkbookName: "a\tb", SheetID: "\x7f"},
			address,
			map[string]string{"/externalWorkbookId": "plain text", "/workbookName": "plain text", "/sheetId": "plain text"},
		},
		{
			"all faults at once", nil,
			placements.Connection{AnchorCell: "B0", EndResultCell: "1", Host: "x"},
			address,
			map[string]string{
				"/externalWorkbookId": "", "/resultLocation": "", "/anchorCell": "begins with 0",
				"/endResultCell": "no column", "/host": "SHEETS_A",
			},
		},
		{
			"a fault of the address and one of the checksum at once", nil, doc("B2", func(c edit) { c.ResultChecksum = sum(0) }),
			placements.CodeInvalid,
			map[string]string{"/sheetName": "No sheet is named", "/resultChecksum/v": "at least 1"},
		},
	}, unread()...)
}

// Taken is a connect that is refused because another placement of the report stands at the address.
type Taken struct {
	Rule       string
	Existing   []placements.Placement
	Connection placements.Connection
}

// TakenAddresses are the connects to an address that is taken.
func TakenAddresses() []Taken {
	both := list(p1(), p2())
	return []Taken{
		{
			"a move onto another placement", both,
			placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "data!$B$2", PlacementID: "p2"},
		},
		{
			"a move onto another placement with addressOnly", both,
			placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!B2", PlacementID: "p2", AddressOnly: true},
		},
		{
			"a move onto a placement without an id", list(p2(), p3()),
			placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!B2", PlacementID: "p2"},
		},
		{
			"a move to a renamed sheet where another placement stands", both,
			placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "Renamed!B2", PlacementID: "p2", SheetID: "7"},
		},
	}
}

// TakenID is a connect that is refused because a placement of another report has its placementId in that spreadsheet.
type TakenID struct {
	Taken
	Elsewhere placements.Placement // of the other report
}

// TakenIDs are the connects with an id that is taken.
func TakenIDs() []TakenID {
	theirs := moored("mine", "doc", "Other", "A1", "", "Other!A1")
	mine := placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!B2", PlacementID: "mine"}
	unwritten := with(mine, func(c *placements.Connection) { c.AddressOnly = true })
	inDoc2 := with(theirs, id("p1"), func(p *placements.Placement) { p.WorkbookID = "doc2" })
	return []TakenID{
		{Taken{"a new placement under the id of another report's", list(p2()), mine}, theirs},
		{Taken{"a new address under the id of another report's", nil, unwritten}, theirs},
		{Taken{"a placement without an id takes none that another report's has", list(p3()), mine}, theirs},
		{
			Taken{
				"a move to a spreadsheet where another report's has the id", list(p1()),
				placements.Connection{ExternalWorkbookID: "doc2", ResultLocation: "Data!B2", PlacementID: "p1"},
			},
			inDoc2,
		},
	}
}

// FreeIDs are connects with an id that a placement of another report has without being in the way.
func FreeIDs() []TakenID {
	mine := placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!B2", PlacementID: "mine"}
	return []TakenID{
		{Taken{"an id is taken in its own spreadsheet only", nil, mine}, moored("mine", "doc2", "Other", "A1", "", "Other!A1")},
		{Taken{"an id that differs in case is another one", nil, mine}, moored("MINE", "doc", "Other", "A1", "", "Other!A1")},
		{Taken{"an id is not taken by one that begins with it", nil, mine}, moored("mine:2", "doc", "Other", "A1", "", "Other!A1")},
		{Taken{"a placement that keeps its own id needs no other", list(p1()), mine}, moored("mine", "doc", "Other", "A1", "", "Other!A1")},
	}
}

// Checksum is a resultChecksum that a client sends. One that is refused has its faults: JSON pointer below the checksum -> part of the
// message there.
type Checksum struct {
	Fact   string
	Sum    *checksum.ResultChecksum
	Faults map[string]string
}

// chunks is n chunks of a row each.
func chunks(n int) []checksum.Chunk {
	list := make([]checksum.Chunk, n)
	for i := range list {
		list[i] = checksum.Chunk{From: i, To: i + 1, Hash: "h"}
	}
	return list
}

// Checksums are those that are stored and echoed as sent.
func Checksums() []Checksum {
	return []Checksum{
		{"version 1 without chunks", sum(1), nil},
		{"a version of the client's own", sum(1 << 30), nil},
		{
			"chunks that leave rows out", sum(2, checksum.Chunk{From: 3, To: 7, Hash: "a"}, checksum.Chunk{From: 100, To: 200, Hash: "b"}),
			nil,
		},
		{"a chunk of no rows", sum(2, checksum.Chunk{From: 4, To: 4, Hash: "a"}), nil},
		{"a hash of one character", sum(2, checksum.Chunk{From: 0, To: 1, Hash: "語"}), nil},
		{"a hash of 64 characters", sum(2, checksum.Chunk{From: 0, To: 1, Hash: strings.Repeat("語", 64)}), nil},
		{"2,000 chunks", sum(2, chunks(2000)...), nil},
	}
}

// BadChecksums are those that are refused.
func BadChecksums() []Checksum {
	return []Checksum{
		{"version 0", sum(0), map[string]string{"/v": "at least 1"}},
		{"a negative version", sum(-1), map[string]string{"/v": "at least 1"}},
		{"2,001 chunks", sum(2, chunks(2001)...), map[string]string{"/chunks": "at most 2000"}},
		{
			"a chunk before the first row", sum(2, checksum.Chunk{From: -1, To: 1, Hash: "a"}),
			map[string]string{"/chunks/0/from": "at least 0"},
		},
		{
			"a chunk that ends before it begins", sum(2, checksum.Chunk{From: 5, To: 4, Hash: "a"}),
			map[string]string{"/chunks/0/to": "at least from"},
		},
		{
			"chunks that descend", sum(2, checksum.Chunk{From: 10, To: 20, Hash: "a"}, checksum.Chunk{From: 0, To: 10, Hash: "b"}),
			map[string]string{"/chunks/1/from": "at least 20"},
		},
		{
			"chunks that overlap", sum(2, checksum.Chunk{From: 0, To: 10, Hash: "a"}, checksum.Chunk{From: 9, To: 20, Hash: "b"}),
			map[string]string{"/chunks/1/from": "at least 10"},
		},
		{"an empty hash", sum(2, checksum.Chunk{From: 0, To: 1}), map[string]string{"/chunks/0/hash": "64 characters"}},
		{
			"a hash of 65 characters",
			sum(2, checksum.Chunk{From: 0, To: 1, Hash: strings.Repeat("a", 65)}),
			map[string]string{"/chunks/0/hash": "64 characters"},
		},
		{
			"all faults at once", sum(2, checksum.Chunk{From: 2, To: 1}, checksum.Chunk{From: 0, To: 1, Hash: "b"}),
			map[string]string{"/chunks/0/to": "at least from", "/chunks/0/hash": "64 characters", "/chunks/1/from": "at least 2"},
		},
	}
}

// Sent is c with its checksum.
func (c Checksum) Sent() placements.Connection {
	return placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!B2", ResultChecksum: c.Sum}
}

// Rewritten is a rewrite of the placement p1 with its checksum.
func (c Checksum) Rewritten() placements.Rewrite {
	return placements.Rewrite{Target: placements.Target{PlacementID: "p1"}, ResultChecksum: c.Sum}
}
