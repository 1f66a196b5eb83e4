package placementstest

import "mooring/placements"

// Declared is a rule of the spreadsheet keys in a report's own body (decisions.md §4): what they make of its existing placements.
type Declared struct {
	Rule     string
	Existing []placements.Placement
	Keys     placements.Connection // of those that a report's body has
	Want     placements.Change
	Changed  bool
}

// Declares are the rules of the spreadsheet keys, under Stamp.
func Declares() []Declared {
	type edit = *placements.Connection
	keys := func(location string, edits ...func(edit)) placements.Connection {
		return with(placements.Connection{ExternalWorkbookID: "doc", ResultLocation: location}, edits...)
	}
	address := func(index int, p placements.Placement) placements.Change {
		return placements.Change{Placement: p, Index: index, Created: index < 0}
	}
	checksum := func(c edit) { c.ResultChecksum = newSum() }
	newEnd := func(p *placements.Placement) { p.EndResultCell = "D30"; own(19, 3)(p) }
	return []Declared{
		{
			"keys at a new address record the address, and no data write", list(p2()),
			keys("Data!B2:D20", func(c edit) { c.WorkbookName, c.SheetID, c.Host = "Book", "7", placements.SheetsB }),
			address(-1, with(bare(), at("Data", "B2", "D20", "Data!B2:D20"), own(1, 1), byEditor, func(p *placements.Placement) {
				p.WorkbookName, p.SheetID, p.Host, p.RunAs = "Book", "7", placements.SheetsB, by42()
			})), true,
		},
		{
			"keys with a resultChecksum at a new address record a data write", nil, keys("Data!B2", checksum),
			created(bare(), at("Data", "B2", "", "Data!B2"), func(p *placements.Placement) { p.ResultChecksum = newSum() }), true,
		},
		{"keys that repeat an address change nothing", list(p2(), p1()), keys("Data!B2"), address(1, p1()), false},
		{
			"keys that repeat an address change no name, host, sheet id or spelling", list(p1()),
			keys("data!$B$2:E9", func(c edit) { c.WorkbookName, c.SheetID, c.Host = "New", "8", placements.SheetsA }),
			address(0, p1()), false,
		},
		{
			"keys that repeat the address of a placement without an id give it none", list(p3()), keys("Data!B2"), address(0, p3()), false,
		},
		{
			"keys that repeat the address of a sheet that was renamed do not name it back", list(p1()),
			keys("Old name!B2", func(c edit) { c.SheetID = "7" }), address(0, p1()), false,
		},
		{
			"keys that repeat an address change the endResultCell that they send", list(p1()),
			keys("Data!B2", func(c edit) { c.EndResultCell = "$d$30" }), address(0, with(p1(), newEnd)), true,
		},
		{
			"keys that repeat an address and the endResultCell change nothing", list(p1()),
			keys("Data!B2", func(c edit) { c.EndResultCell = "D20" }), address(0, p1()), false,
		},
		{
			"keys that repeat the address of what was never written record no write", list(with(p1(), neverWritten)),
			keys("Data!B2", func(c edit) { c.EndResultCell = "D30" }), address(0, with(p1(), neverWritten, newEnd)), true,
		},
		{
			"keys with a resultChecksum that repeat an address record a data write", list(p1()), keys("Data!B2", checksum),
			upserted(0, p1(), func(p *placements.Placement) { p.ResultChecksum = newSum() }), true,
		},
		{
			"keys with a resultChecksum leave the first to apply as runAs", list(theirs()), keys("Data!B2", checksum),
			upserted(0, theirs(), func(p *placements.Placement) {
				p.ResultChecksum, p.RunAs, p.Base = newSum(), theirs().RunAs, &placements.Base{Behalf: 42}
			}), true,
		},
		{
			"keys that repeat a data write change nothing", list(with(p1(), current)),
			keys("Data!B2", checksum), upserted(0, p1(), current, refreshed), false,
		},
	}
}

// current sets what a data write under Stamp records in a placement, but for the time and user of the write.
func current(p *placements.Placement) {
	p.QueryChecksum, p.ResultChecksum = Stamp().QueryChecksum, newSum()
}

// refreshed sets those.
func refreshed(p *placements.Placement) {
	p.RefreshedAt, p.RefreshedByUserID = placements.Time(Stamp().Now), Stamp().By.UID
}
