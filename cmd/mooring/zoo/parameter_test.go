//go:build unix

package zoo

// parameterSlips are those in where the values of queries come from, and how they get there.
func parameterSlips() []slip {
	return []slip{
		{
			"a-parameter-is-no-query", "A report whose parameter has become a date leaves its spreadsheets shown as up to date.",
			"storage/record/identity.go", "placements.Signature(d.Parameters)", "placements.Signature(nil)",
			"storage/record", "TestQueryChecksumsArePinned",
		},
		{
			"another-default-is-not-listed", "A report whose default was changed is still in the list of what is up to date.",
			"storage/layout/report.go", "|| !placements.EqualParameters(old.Parameters, r.Parameters) {", "{",
			"storage", "TestListsFollowTheDefaultsOfParameters",
		},
		{
			"a-quote-ends-a-value", "A quote in the value of a parameter ends the text that a server gets which cannot bind.",
			"refresh/source/named/bind.go", `return "'" + strings.ReplaceAll(v.Text(), "'", "''") + "'", nil`, `return "'" + v.Text() + "'", nil`,
			"refresh/source/cube", "TestCubeSQL|TestParametersOfASQLQueryAreLiterals",
		},
		{
			"a-backslash-in-a-value", "A value that ends with a backslash swallows the quote behind it, where a server reads it so.",
			"refresh/source/named/bind.go", `return c == 0 || c == '\\'`, "return c == 0",
			"refresh/source/named", "TestLiteralsRefuseWhatServersReadDifferently",
		},
		{
			"an-escaped-quote-ends-a-text", "A name within a text of PostgreSQL, behind an escaped quote, is taken for a parameter.",
			"refresh/source/named/quote.go", `case c == '\\' && backslashes:`, `case c == '\\' && false:`,
			"refresh/source/named", "TestNamesAreFound",
		},
		{
			"a-comment-within-a-comment", "A name in a comment within a comment is taken for a parameter.",
			"refresh/source/named/comment.go", `case l.has("/*") && (depth == 0 || l.nested):`, `case l.has("/*") && depth == 0:`,
			"refresh/source/named", "TestNamesAreFound",
		},
		{
			"a-value-of-cube-is-text", "A value of a parameter is written into the text of a jsonQuery.",
			"refresh/source/cube/parameters.go", "list = append(list, v.Text())", "list = append(list, json.RawMessage(`\"`+v.Text()+`\"`))",
			"refresh/source/cube", "TestEscapesStayWhereTheyAreInAJSONQuery",
		},
		{
			"a-variable-without-a-value", "A query of SQLite with a variable that nothing binds shows an empty result.",
			"refresh/source/sqlite/conn.go", "return unbound(name)", "continue",
			"refresh/source/sqlite", "TestAVariableWithoutAValueFails",
		},
		{
			"the-writes-own-look-left-out", "A block shows what a cell said before its query, though it says something else when it is written.",
			"refresh/document/parameter.go", "case !now.SameValues(b.task.Reading):", "case false && !now.SameValues(b.task.Reading):",
			"refresh/cells", "TestACellThatChangesMeanwhile",
		},
		{
			"a-cell-is-asked-for-without-end", "A cell that a user goes on typing into keeps a run at the source without end.",
			"refresh/parameter/readings.go", "first = l == nil || !l.second", "first = l == nil || true",
			"refresh/cells", "TestACellThatChangesMeanwhile",
		},
		{
			"a-cell-the-report-refuses", "A block whose report lets a parameter come from no cell any more shows the default instead of a conflict.",
			"placements/parameter_argument.go", `if said.Cell != "" {`, `if said.Cell != "" && p.FromCells {`,
			"refresh/cells", "TestACellTheReportNoLongerAdmits",
		},
		{
			"a-value-is-judged-once", "A run queries with a value that the report allows no more.",
			"placements/parameter_argument.go", "if fault := p.Admits(*v); fault != nil {", "if fault := p.Admits(*v); fault != nil && false {",
			"refresh", "TestParametersOfABlock",
		},
		{
			"a-cell-says-what-is-not-allowed", "A conflict does not name the cell whose value is not allowed.",
			"placements/parameter_cell.go", "if fault := p.Admits(value); fault != nil {", "if fault := p.Admits(value); fault != nil && false {",
			"refresh/cells", "TestWhatCellsMayNotSay",
		},
		{
			"a-date-becomes-a-number", "A cell that shows a date gives a text parameter its serial number.",
			"placements/parameter_cell.go", "case t == ParameterText && c.Date && cell.Kind == checksum.Number:", "case t == ParameterText && c.Date && cell.Kind == checksum.Error:",
			"placements", "TestCellsBecomeValues",
		},
		{
			"four-years-too-early", "The dates of a workbook that counts from 1904 are four years too early.",
			"placements/parameter_value.go", "n += serials1904", "n += 0",
			"placements", "TestCellsBecomeValues",
		},
		{
			"a-covered-cell-is-empty", "A cell that merged ones cover is taken for an empty one.",
			"refresh/host/google/parameter.go", "if inside && (row != m.StartRow || column != m.StartColumn) {", "if inside && false {",
			"refresh/cells", "TestCoveredCells",
		},
		{
			"a-deleted-cell-is-read", "At Google what took the place of a deleted cell is taken for its value.",
			"refresh/parameter/reading.go", "one.Named >= placements.NameStood && !f.Marked", "one.Named > placements.NameLost && !f.Marked",
			"refresh/cells", "TestADeletedCell",
		},
		{
			"a-deleted-cell-stays-deleted", "The address of a deleted cell cannot be named again.",
			"placements/connect.go", "c.Parameters.Sent && !c.Declared)", "false)",
			"refresh/cells", "TestADeletedCell",
		},
		{
			"a-cell-is-named-never", "A cell is read at its old address after a user has moved it.",
			"refresh/document/parameter.go", "found && !b.reading().Marked[c.Name]", "found && b.reading().Marked[c.Name]",
			"refresh/cells", "TestAPlainResendFollowsOn",
		},
		{
			"a-block-grows-over-its-cell", "A block writes over the cell that steers it.",
			"refresh/document/parameter.go", "if found && strings.EqualFold(at.Sheet, b.view.Sheet)", "if false && found && strings.EqualFold(at.Sheet, b.view.Sheet)",
			"refresh/cells", "TestABlockThatWouldGrowOverItsCell",
		},
		{
			"the-cell-of-before-counts", "A block shows what the cell says from which it took its value before a user named another.",
			"refresh/parameter/readings.go", "if !before.Parameters.Equal(now.Parameters) {", "if false {",
			"refresh/cells", "TestAnotherCellThatIsNamedMeanwhile",
		},
		{
			"an-unnamed-cell-stays", "A cell that the rows of another block have moved is read where it stood.",
			"refresh/document/follow.go", "moved = moveCells(&m.now, by)", "moved = false",
			"refresh/cells", "TestACellThatAnotherReportShifts",
		},
		{
			"a-file-fails-for-its-cells", "A run fails at once for a file that is just being replaced, because it reads a cell of it first.",
			"refresh/cells.go", "if opened[i], err = document.Opened(p.Placement, blocks[i].Rows); err != nil {",
			"if _, err = document.Opened(p.Placement, blocks[i].Rows); err != nil {",
			"refresh", "TestARunWaitsForAFileOfWhoseCellsItKnowsNothing",
		},
		{
			"a-preview-of-others-values", "A plan tells how many rows a person may see whose values it changes.",
			"refresh/bundle_preview.go", "|| !p.after.Parameters.Equal(placed.Parameters) ||", "||",
			"refresh", "TestAPlanPreviewsValuesForWhoseRowsTheyFind",
		},
		{
			"a-preview-of-the-cell-before", "A plan that names another cell shows what the one before says.",
			"refresh/bundle_preview.go", "placed.Parameters, placed.Marks = one.after.Parameters, one.after.Marks", "placed.Parameters = one.after.Parameters",
			"refresh", "TestAPlanPreviewsTheCellThatItNames",
		},
		{
			"an-add-in-names-any-cells", "A placement takes its value from whichever cells an add-in names.",
			"refresh/document/sheet_parameter.go", "if size.Rows*size.Columns != len(p.Cells) {", "if false {",
			"refresh/document", "TestWhereAnAddInSaysThatCellsStand",
		},
		{
			"the-values-of-another-block", "A block shows the rows of another one's values.",
			"refresh/ledger.go", `return a.behalf(p) + "\n" + a.readings.Key(&p.Placement, a.report.Parameters)`, `return a.behalf(p) + "\n" + a.readings.Key(&p.Placement, a.report.Parameters)[:0]`,
			"refresh", "TestEqualValuesShareAQuery",
		},
		{
			"equal-values-are-queried-twice", "A hundred blocks with the same value are a hundred queries.",
			"refresh/ledger.go", `return a.behalf(p) + "\n" + a.readings.Key(&p.Placement, a.report.Parameters)`, `return a.behalf(p) + "\n" + a.readings.Key(&p.Placement, a.report.Parameters) + p.ID`,
			"refresh", "TestEqualValuesShareAQuery",
		},
	}
}

// sourceSlips are those in how servers and files are queried.
func sourceSlips() []slip {
	return []slip{
		{
			"a-query-writes-a-file", "A query of MariaDB writes a file on the server.",
			"refresh/source/mysql/statement.go", `case now.ends("into"), before`, `case now.is("into "), before`,
			"refresh/source/mysql", "TestQueriesAreOneSelect",
		},
		{
			"a-comment-is-run", "A query of MariaDB runs what stands in a comment.",
			"refresh/source/mysql/statement.go", "case t.Kind == named.Executed:", "case t.Kind == named.Executed && count > 99:",
			"refresh/source/mysql", "TestQueriesAreOneSelect",
		},
		{
			"a-second-statement-is-sent", "A query of MariaDB has a second statement behind the first.",
			"refresh/source/mysql/statement.go", "case ended && count > 0:", "case ended && count > 9:",
			"refresh/source/mysql", "TestQueriesAreOneSelect",
		},
		{
			"one-of-two-files", "Of two files of one name a table shows one.",
			"refresh/source/files/folder.go", "case len(of) > 1:", "case len(of) > 2:",
			"refresh/source/files", "TestTwoFilesOfOneNameAreNoTable",
		},
		{
			"the-name-of-a-thing-is-a-number", "A CSV file's 12E4, the name of a thing, becomes a number.",
			"refresh/source/files/kinds.go", "k != 0 && !bareExponent(text)", "k != 0",
			"refresh/source/files", "TestCSVColumnsAreTypedByAllTheirValues|TestCSVKeepsTheTextOfTexts",
		},
		{
			"a-comma-in-quotes-counts", "A CSV file with commas in its first line's quotes is read in the wrong columns.",
			"refresh/source/files/csv.go", "if quoted {", "if quoted && false {",
			"refresh/source/files", "TestCSVFindsWhatStandsBetweenValues",
		},
		{
			"other-letters-are-shown", "A file that is no UTF-8 fills a table with other letters.",
			"refresh/source/files/csv.go", "if !utf8.ValidString(text) {", "if false && !utf8.ValidString(text) {",
			"refresh/source/files", "TestABrokenFileFailsOnlyItsOwnTable",
		},
	}
}
