//go:build unix

package zoo

// hostSlips are those in how spreadsheets are read and written.
func hostSlips() []slip {
	return []slip{
		{
			"a-total-does-not-grow", "A total below a block leaves out the rows that were added.",
			"refresh/host/formula/shift.go", "down = 1", "down = 0",
			"refresh/host/formula", "TestRangesGrowWithTheBlock",
		},
		{
			"one-deleted-row-too-many", "What stands in the row behind deleted ones, such as a comment, is deleted with them.",
			"refresh/host/formula/shift.go", "if row < s.Row-s.Rows {", "if row <= s.Row-s.Rows {",
			"refresh/host/xlsx/shift", "TestComments|TestSheetMovesCellsAsAMap|TestLinks",
		},
		{
			"a-range-loses-its-begin", "A range that begins in deleted rows begins too far up.",
			"refresh/host/formula/shift.go", "top = max(top, end) + s.Rows", "top += s.Rows",
			"refresh/host/formula", "TestReferencesToDeletedCells|TestReferencesFollowTheirCells|TestReferencesNameTheSameCells",
		},
		{
			"a-formula-leaves-the-sheet", "A formula that is filled down names a row that no sheet has.",
			"refresh/host/formula/move.go", "if !p.exists() {", "if false {",
			"refresh/host/formula", "TestAFormulaDoesNotMoveOffTheSheet",
		},
		{
			"a-tables-totals-are-filtered", "After a table has grown, its filter hides the row of its totals.",
			"refresh/host/xlsx/shift/table.go", "after.Bottom = t.after.Bottom - t.foot", "after.Bottom = t.after.Bottom",
			"refresh/host/xlsx/shift", "TestTable",
		},
		{
			"a-file-saved-meanwhile-is-lost", "What a person saves while a report is written is overwritten.",
			"refresh/host/xlsx/archive/replace.go", "if !sameState(now, seen) {", "if false {",
			"refresh/host/xlsx/archive", "TestReplaceStopsWhenSomebodyElseSaves|TestSavesAreNotLost",
		},
		{
			"a-file-opened-meanwhile-is-replaced", "A report is written into a file that a person has opened in Excel meanwhile.",
			"refresh/host/xlsx/archive/replace.go", "return now, d.HeldOpen(document, name)", "return now, nil",
			"refresh/host/xlsx/archive", "TestReplaceStopsWhenSomebodyElseSaves|TestSave",
		},
		{
			"what-is-likely-is-taken-for-read", "What the source says now is taken for what stands in the cells, and edits are overlooked.",
			"refresh/host/xlsx/sheet/region.go", "return digest == 0 || digest != x.Cells[at]", "return digest == 0",
			"refresh/host/xlsx", "TestRowsThatAreOtherThanLikelyAreRead",
		},
		{
			"a-neighbours-cells-count-as-known", "What another report writes beside a block is overlooked.",
			"refresh/host/xlsx/standing.go", "known.Forget(p)", "_ = p",
			"refresh/host/xlsx", "TestWhatAnotherBlockWritesIsNotKnown",
		},
		{
			"a-formula-hides-in-a-segment", "A formula is taken for the value that it shows.",
			"refresh/host/xlsx/sheet/cell.go", "s.out.alone = false", "s.out.alone = true",
			"refresh/host/xlsx", "TestAFormulaInASegmentIsRead",
		},
		{
			"a-damaged-segment-is-copied", "Damaged bytes of a file are taken along with a checksum that says they are sound.",
			"refresh/host/xlsx/archive/unpack.go", "if crc32.ChecksumIEEE(b) != s.sum {", "if false {",
			"refresh/host/xlsx/archive", "TestAnIndexOfOtherBytesIsNotBelieved",
		},
		{
			"a-text-becomes-a-formula", "A text of the source that begins with = is computed by Excel.",
			"refresh/host/graph/cells.go", `return rest.AppendJSONText(dst, "'"+c.Text)`, "return rest.AppendJSONText(dst, c.Text)",
			"refresh/host/graph", "TestConforms",
		},
		{
			"typed-between-read-and-write", "What a person types in Excel between read and write is overwritten.",
			"refresh/host/graph/compare.go", "if !c.same() {", "if !c.same() && false {",
			"refresh/host/graph", "TestRowsEditedBetweenReadAndWriteAreLeftAlone",
		},
		{
			"a-half-written-block-is-refused", "A write of which the service took a part is told as refused, and nobody repairs it.",
			"refresh/host/rest/fault.go", "case placements.Auth, placements.Conflict, placements.Structure, placements.Permanent:", "case placements.Structure:",
			"refresh/host/graph", "TestRefusalAfterSomeStepsIsNoRefusalOfTheWhole",
		},
		{
			"the-old-place-is-written", "A block that a person has moved is written where it was.",
			"refresh/host/google/write.go", "if must && !marker.stands(sheet.ID, b.At) {", "if must && false {",
			"refresh/host/google", "TestWriteOfADocumentThatChanged|TestWriteWithoutAReadAsksFirst",
		},
		{
			"a-sheet-is-too-small", "A block below the end of a sheet is refused.",
			"refresh/host/google/write.go", "grow.rows = max(grow.rows, b.At.Row+rows-sheet.Grid.Rows)", "grow.rows = max(grow.rows, rows-sheet.Grid.Rows)",
			"refresh/host/google", "TestSheetGrowsForTheBlock|TestBlockBeyondTheSheetsEndReadsAsEmpty",
		},
	}
}

// gridSlips are those in how tables are compared.
func gridSlips() []slip {
	return []slip{
		{
			"chunks-of-another-size", "The digest of a table of 8,192 rows is another than that of the add-ins.",
			"checksum/chunk.go", "for (rows+size-1)/size > maxChunks {", "for (rows+size-1)/size >= maxChunks {",
			"checksum", "TestChunkRowsIsTheSmallestPowerOfTwo",
		},
		{
			"chunks-of-another-version", "An add-in whose digests are of another version keeps rows that have changed.",
			"checksum/chunk.go", "if have.V != r.V {", "if false {",
			"checksum", "TestSince",
		},
		{
			"lost-rows-keep-a-column", "Rows that the source has lost keep the cells of a column that it has lost too.",
			"checksum/diff.go", "Area{Row: common, Rows: lost, Columns: base.Columns}", "Area{Row: common, Rows: lost, Columns: ours.Columns}",
			"checksum", "TestDiff|TestAPlanAppliedToTheOldBlockGivesTheNewOne",
		},
		{
			"a-moved-row-without-its-key", "A row that was moved and edited takes the values of the record that stands in its place.",
			"checksum/state.go", "if m.key.rows != nil {", "if false {",
			"checksum", "TestMerge|TestUpdatedRowsThatChangePlacesKeepTheirEdits",
		},
		{
			"a-shift-in-the-wrong-order", "Cells beside a block that gains and loses rows stand one row too low.",
			"checksum/shift.go", "s.Shifts = append(s.Shifts, Shift{At: end.b, Rows: gained}, Shift{At: end.b + gained, Rows: -lost})", "s.Shifts = append(s.Shifts, Shift{At: end.b, Rows: gained}, Shift{At: end.b, Rows: -lost})",
			"checksum", "TestShift|TestAPlanAppliedToTheOldBlockGivesTheNewOne",
		},
		{
			"no-row-survives", "A block that loses all its rows takes the range of its total along, which reads #REF!.",
			"checksum/shift.go", "shared := s.withSurvivor(inOrder(records))", "shared := inOrder(records)",
			"checksum", "TestShift|TestShiftOfASmallBlock",
		},
	}
}
