package placementstest

import "mooring/placements"

// theirs is a placement that is queried on behalf of another user than that of Stamp.
func theirs() placements.Placement {
	return with(p1(), func(p *placements.Placement) {
		p.RunAs = &placements.RunAs{UID: 7, Email: "ann@example.com", Roles: []int64{3}}
	})
}

// nobodys is one that a caller without a user has placed.
func nobodys() placements.Placement {
	return with(p1(), func(p *placements.Placement) { p.RunAs, p.PlacedByUserID = &placements.RunAs{}, 0 })
}

// older is one from before that was recorded, placed by user uid.
func older(uid int64) placements.Placement {
	return with(p1(), func(p *placements.Placement) { p.RunAs, p.PlacedByUserID = nil, uid })
}

// behalves are the rules of runAs: on whose behalf a placement is queried (decisions.md §3).
func behalves() []Connect {
	here := placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!B2"}
	addressOnly := func(c *placements.Connection) { c.AddressOnly = true }
	kept := func(p placements.Placement) placements.Change { return placements.Change{Placement: p} }
	return []Connect{
		{
			"a data write at the address of another person's placement makes its writer runAs, and without a checksum keeps its base",
			list(theirs()), here, upserted(0, theirs(), keptBase(7)),
		},
		{
			"addressOnly at the address of another person's placement leaves runAs alone", list(theirs()),
			with(here, addressOnly), kept(theirs()),
		},
		{
			"addressOnly by the placer of a record without runAs sets them", list(older(42)),
			with(here, addressOnly), kept(with(older(42), func(p *placements.Placement) { p.RunAs = by42() })),
		},
		{
			"addressOnly by another than the placer of a record without runAs sets none", list(older(1)),
			with(here, addressOnly), kept(older(1)),
		},
	}
}

// OthersPlacements are the connects that move another person's placement. They take edit access to the report.
func OthersPlacements() []Taken {
	type edit = *placements.Connection
	move := func(edits ...func(edit)) placements.Connection {
		return with(placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!H2", PlacementID: "p1"}, edits...)
	}
	return []Taken{
		{"another person's placement to another cell", list(theirs()), move()},
		{"another person's placement with addressOnly", list(theirs()), move(func(c edit) { c.AddressOnly = true })},
		{"another person's placement to another spreadsheet", list(theirs()), move(func(c edit) { c.ExternalWorkbookID = "doc2" })},
		{"a record without runAs that another person placed", list(older(1)), move()},
		{"what a caller without a user has placed", list(nobodys()), move()},
		{
			"another person's placement to another host", list(theirs()),
			move(func(c edit) { c.ResultLocation, c.Host, c.AddressOnly = "Data!B2", placements.SheetsA, true }),
		},
	}
}

// OthersSheets are the connects that name the sheet of another person's placement by another name, which its id says that it has now. They
// take edit access to the report, and leave the placement that person's unless they write.
func OthersSheets() []Taken {
	type edit = *placements.Connection
	rename := func(edits ...func(edit)) placements.Connection {
		return with(placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "Renamed!B2", SheetID: "7", AddressOnly: true}, edits...)
	}
	return []Taken{
		{"the sheet of another person's placement", list(theirs()), rename()},
		{"the sheet of another person's placement, by its placementId", list(theirs()), rename(func(c edit) { c.PlacementID = "p1" })},
		{"the sheet of another person's placement, in a data write", list(theirs()), rename(func(c edit) { c.AddressOnly = false })},
		{"the sheet of another person's placement that was never written", list(with(theirs(), neverWritten)), rename()},
	}
}

// OwnSheet is a connect that names the sheet of a placement of the user of Stamp anew, by the id that it has.
func OwnSheet() Taken {
	edits := &placements.EditSummary{Rows: 1, Cells: 2, Since: placed}
	own := with(p1(), byEditor, func(p *placements.Placement) { p.Edits = edits })
	return Taken{"the sheet of one's own placement", list(own), OthersSheets()[0].Connection}
}

// OthersOptions are the connects that change only the options of another person's placement. They take edit access to the report too.
func OthersOptions() []Taken {
	say := func(o placements.Options) placements.Connection {
		return placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!B2", AddressOnly: true, Options: o}
	}
	return []Taken{
		{
			"edited cells of another person's placement may be overwritten", list(theirs()),
			say(placements.Options{OnEdit: placements.Sent(placements.Overwrite)}),
		},
		{
			"the signature of another person's workbook may be broken", list(theirs()),
			say(placements.Options{BreakSignature: placements.Sent(true)}),
		},
		{
			"the options of another person's placement in a data write", list(theirs()),
			with(say(placements.Options{OnEdit: placements.Sent(placements.Overwrite)}), func(c *placements.Connection) { c.AddressOnly = false }),
		},
	}
}

// TakenOver is a connect that changes the options of a placement of the user of Stamp, which has another person's rows still.
func TakenOver() Taken {
	c := placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!B2", AddressOnly: true}
	c.OnEdit = placements.Sent(placements.Overwrite)
	return Taken{"the options of a placement that was taken over", list(with(p1(), takenOver)), c}
}

// takenOver is a placement of the user of Stamp that was written for user 7.
func takenOver(p *placements.Placement) { p.Base = &placements.Base{Behalf: 7} }

// keptBase is what a refresh compares p1 with once a client has told of another write that is not believed.
func keptBase(behalf int64) func(*placements.Placement) {
	return func(p *placements.Placement) {
		old := p1().LastWrite()
		p.Base = &placements.Base{Behalf: behalf, Kept: &old}
	}
}

// Claim is a rule of what is believed of what clients tell (decisions.md §3): of a write, by a connect or by a refresh.
type Claim struct {
	Rule  string
	Old   placements.Placement
	By    int64
	Edits bool // the report
	Sum   bool // with a checksum
	// Believed: a refresh compares with it from then on. Else with what it did before, which was written for Behalf.
	Believed bool
	Behalf   int64
}

// Claims are those of connects without addressOnly to where Old stands, and of refreshes of it.
func Claims() []Claim {
	own, mixed, never := p1(), with(p1(), takenOver), with(theirs(), neverWritten)
	return []Claim{
		{"of the person it is queried for", own, 42, false, true, true, 42},
		{"of that person without a checksum", own, 42, false, false, true, 42},
		{"of a reader", own, 8, false, true, false, 42},
		{"of a reader without a checksum", own, 8, false, false, false, 42},
		{"of a caller without a user", own, 0, false, true, false, 42},
		{"of who took it over, whose rows it has not yet", mixed, 42, false, true, false, 7},
		{"of the person it was taken over from", mixed, 7, false, true, false, 7},
		{"of another editor", own, 8, true, true, true, 8},
		{"of an editor who took it over", mixed, 42, true, true, true, 42},
		{"of an editor without a user, of what such a caller placed", nobodys(), 0, true, true, true, 0},
		{"of an editor without a user, of what such a caller placed, without a checksum", nobodys(), 0, true, false, true, 0},
		{"of a reader without a user, of what such a caller placed", nobodys(), 0, false, false, false, 0},
		{"of a reader, of what was never written", never, 8, false, true, false, 7},
	}
}
