package placementstest

import "mooring/placements"

// RewriteCase is a rule of PUT …/refresh: what a rewrite of its cells makes of a placement. Rewrite has no target, since it concerns Placement.
type RewriteCase struct {
	Rule      string
	Placement placements.Placement
	Rewrite   placements.Rewrite
	Want      placements.Placement
}

// Rewrites are the rules of the rewrites that are accepted, under Stamp.
func Rewrites() []RewriteCase {
	unplaced := with(p1(), neverWritten)
	far := func(p *placements.Placement) { p.EndResultCell = "ZZ999" }
	return []RewriteCase{
		{"a rewrite stamps and clears the checksum", p1(), placements.Rewrite{}, with(p1(), dataWrite)},
		{
			"a rewrite replaces checksum and end", p1(),
			placements.Rewrite{EndResultCell: "$d$30", ResultChecksum: newSum()},
			with(p1(), dataWrite, own(19, 3), func(p *placements.Placement) { p.EndResultCell, p.ResultChecksum = "D30", newSum() }),
		},
		{
			"an end far away makes the block no larger than the service's own write, twice said either", with(p1(), far, own(19, 3)),
			placements.Rewrite{EndResultCell: "ZZ999"},
			with(p1(), dataWrite, far, own(19, 3)),
		},
		{
			"the end of the service's own write is that again", with(p1(), far, own(19, 3)),
			placements.Rewrite{EndResultCell: "D20"},
			with(p1(), dataWrite),
		},
		{
			"an end may be the anchor",
			p1(),
			placements.Rewrite{EndResultCell: "B2"},
			with(p1(), dataWrite, func(p *placements.Placement) { p.EndResultCell = "B2" }),
		},
		{"the first data write is when it was placed", unplaced, placements.Rewrite{}, with(unplaced, firstWrite)},
	}
}

// RewriteRefusal is a rewrite of p1 that is refused.
type RewriteRefusal struct {
	Fact    string
	Rewrite placements.Rewrite
	Faults  map[string]string // JSON pointer -> part of the message there
	Alone   bool              // wrong whichever the placement
}

// RewriteRefusals are the rewrites that are refused, but for those with a bad checksum, see BadChecksums.
func RewriteRefusals() []RewriteRefusal {
	return []RewriteRefusal{
		{"an end above the anchor", placements.Rewrite{EndResultCell: "C1"}, map[string]string{"/endResultCell": "above or left"}, false},
		{
			"an end left of the anchor",
			placements.Rewrite{EndResultCell: "A20"},
			map[string]string{"/endResultCell": "above or left"},
			false,
		},
		{"a broken end", placements.Rewrite{EndResultCell: "D"}, map[string]string{"/endResultCell": "no row"}, true},
		{
			"a broken end and a bad checksum at once",
			placements.Rewrite{EndResultCell: "D", ResultChecksum: sum(2, chunks(1)[0], chunks(1)[0])},
			map[string]string{"/endResultCell": "no row", "/resultChecksum/chunks/1/from": "at least 1"},
			true,
		},
	}
}

// Rewritten is the placement that RewriteRefusals and Checksum.Rewritten are about.
func Rewritten() placements.Placement { return p1() }
