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
			"a data write at the address of another person's placement makes its writer runAs", list(theirs()),
			here, upserted(0, theirs()),
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
	}
}
