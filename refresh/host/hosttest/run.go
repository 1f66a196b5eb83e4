package hosttest

import (
	"slices"
	"testing"
)

// Run holds the hosts that f makes to the contract of host.Driver.
func Run(t *testing.T, f Factory) {
	for _, c := range slices.Concat(cases(), followCases(), formatCases(), fillCases(), keepCases(), exactCases(), identityCases(), parameterCases(), parameterEdits()) {
		t.Run(c.name, func(t *testing.T) { c.run(t, f(t)) })
	}
}

func cases() []testCase {
	return []testCase{
		{"the host answers a check", check},
		{"every kind of cell comes back with the same fingerprints, or as the write told", roundTrip},
		{"text that looks like a formula stays text", injection},
		{"dates get their number format", dates},
		{"a column that moves takes its number format along", otherFormats},
		{"cells around the block stay", leavesNeighbours},
		{"a block that shrinks clears what it leaves", shrinks},
		{"a block grows", grows},
		{"one changed row is one row written", oneRow},
		{"an unchanged block is one read and no write", unchanged},
		{"a document changed since it was read is not written", stale},
		{"a cancelled call changes nothing", cancelled},
		{"rows of cells shift", shifts},
		{"rows of cells move with what refers to them", moves},
		{"several blocks take one read and one write", several},
		{"blocks side by side on the same rows are written together", sideBySide},
		{"rectangles over each other are each read whole", readsOver},
		{"a refused patch is refused with all others, and alone when written one by one", refused},
		{"a session that writes twice knows what it left", writesTwice},
		{"a change by others between two writes is not overwritten", changedBetween},
		{"a block that another one's shift moves is written where it then stands", shiftsOthers},
		{"a shift that would tear another block apart is a conflict", tearsOthers},
		{"a shift that would tear a block apart which was not read is a conflict", tearsUnread},
		{"a shift that would open a block beside is a conflict", opensBeside},
		{"blocks one below another both grow at their ends", growTogether},
		{"blocks one below another grow at their ends one by one", growApart},
		{"without shifts, only empty cells beside a block are filled", fillsEmpty},
		{"nothing is filled beside a block that had no rows, or lost some", fillsNothing},
		{"how many formulas shifts change is told before they are made", tellsFollowing},
		{"which formulas refer to a column is told", tellsReferring},
		{"a missing sheet hinders the blocks of other sheets in nothing", oneSheetMissing},
		{"a formula is written, or left as it stands", writesFormulas},
		{"patches that overlap are an error", overlapping},
		{"without a marker the stored address is read", unmarked},
		{"cells that are not ours are seen", foreign},
		{"formulas are seen with their texts and values", formulas},
		{"a formula inside the block is overwritten, one beside it is not", overwrites},
		{"reads may run at the same time", concurrent},
		{"a missing document or sheet is a structure fault", missing},
		{"a refused write is an auth fault", denied},
		{"the marker follows inserted rows", followsRows},
		{"the marker covers rows inserted and deleted inside", growsWithRows},
		{"the marker follows a renamed sheet", followsSheetName},
		{"a deleted sheet loses the marker", losesSheet},
		{"a marker left behind where a block no longer stands is taken over", takesOver},
		{"a block can be marked without writing it", adopts},
		{"markers of placements with similar ids differ", tellsApart},
		{"a status cell is written with its block and followed", writesStatusCell},
		{"a status cell below a block that shifts moves along", shiftsStatusCell},
		{"the cell above a block is written without it, and emptied", writesAbove},
		{"a block that grows into hidden rows shows them", showsGained},
		{"a total that moves into a hidden row shows it", showsMoved},
		{"what was hidden, or is nothing, stays hidden", keepsHidden},
		{"a stamp is kept beside the marker", keepsStamps},
		{"a large block", large},
	}
}
