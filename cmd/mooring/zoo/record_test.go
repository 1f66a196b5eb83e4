//go:build unix

package zoo

// recordSlips are those in what is stored, and in the rules of placements.
func recordSlips() []slip {
	return []slip{
		{
			"a-grant-widens-a-bound", "A key that is bound to reading edits the reports that a role's grant lets its owner edit.",
			"storage/record/access.go", "return min(l, most)", "return l",
			"storage/record", "TestReportAccess|TestLevelsAreThoseOfTheTable|TestSchedulesAndRunsFollowTheTable",
		},
		{
			"user-zero-is-the-creator", "A token without a user has everything that was made by a token without a user.",
			"storage/record/access.go", "return uid != 0 && uid == w.ID", "return uid == w.ID",
			"storage/record", "TestReportAccess|TestWorkbookAccess|TestScheduleAccess",
		},
		{
			"readers-see-typed-cells", "Whoever may edit a report sees what people typed into the blocks of others.",
			"storage/record/access.go", "return l >= MayManage || w.Is(of)", "return l >= MayEdit || w.Is(of)",
			"web", "TestOverwrittenValuesAreShownToWhomTheyConcern|TestValuesStayWithWhomTheRunWroteFor",
		},
		{
			"read-is-enough-to-stop", "Everybody who may read a report stops the runs of others.",
			"storage/record/access.go", "return onReport >= MayEdit || onReport >= MayRead && w.Is(run.RequestedBy.ID)", "return onReport >= MayRead",
			"storage/record", "TestStoppingARun",
		},
		{
			"own-schedule-without-the-report", "The maker of a schedule keeps it after they lost the right to read its report.",
			"storage/record/access.go", "if onReport >= MayRead && w.Is(createdBy) {", "if w.Is(createdBy) {",
			"storage/record", "TestScheduleAccess|TestSchedulesAndRunsFollowTheTable",
		},
		{
			"a-kept-bound-is-lost", "A schedule that was made by a bound key runs with everything that its owner may do.",
			"storage/record/access.go", "k.Actor.Actions, k.Actor.Bound = k.Actions, k.Bound", "k.Actor.Actions = k.Actions",
			"storage/record", "TestKeptActorsKeepTheirBound",
		},
		{
			"a-null-is-stored", "An upsert that removes a member of a workbook's meta with null stores the null.",
			"storage/record/merge_patch.go", "delete(target, name)", "target[name] = value",
			"storage/record", "TestMergedMeta|TestMergingTwiceIsMergingOnce",
		},
		{
			"a-draft-is-merged", "An upsert merges the draft of a dashboard instead of replacing it, so that charts come back.",
			"storage/record/merge_patch.go", "delete(patch, FieldDraft)", "hasDraft = false",
			"storage/record", "TestMergedMeta",
		},
		{
			"a-pivot-is-no-query", "An edit of a report's pivot leaves its spreadsheets shown as up to date.",
			"storage/record/identity.go", "placements.Signature(d.Parameters), d.PivotItems, d.SQLQuery})", "placements.Signature(d.Parameters), nil, d.SQLQuery})",
			"storage/record", "TestQueryChecksumsArePinned",
		},
		{
			"a-failed-sheet-is-up-to-date", "A placement whose run waits after an error is shown as up to date.",
			"placements/status.go", `case run.State == RunFailed, run.State == RunQueued && run.ErrorClass != "":`, "case run.State == RunFailed:",
			"placements", "TestSyncStatus",
		},
		{
			"an-old-failure-stays", "A placement that an add-in has written since is still shown as failed.",
			"placements/status.go", `return run.EndedAt != "" && p.RefreshedAt > run.EndedAt`, "return false",
			"placements", "TestSyncStatus",
		},
		{
			"an-ambiguous-disconnect", "A disconnect that means two placements removes one of them.",
			"placements/target.go", "if index >= 0 {", "if false {",
			"placements", "TestTargetMatch",
		},
		{
			"a-contradiction-is-followed", "A disconnect whose address and cell contradict each other removes what stands at the cell.",
			"placements/target.go", `t.AnchorCell != "" && anchor != l.Anchor {`, "false {",
			"placements", "TestTargetForm|TestTargetMatch",
		},
		{
			"addresses-run-into-each-other", "Two spreadsheets whose ids and sheets read alike together count as one.",
			"placements/address.go", `return strconv.Itoa(len(a.Document)) + ":" + a.Document + a.Spot()`, "return a.Document + a.Spot()",
			"placements", "TestAddressKeyIsUnambiguous",
		},
		{
			"a-sheet-by-its-letters", "A sheet's name in other letters, which is the same to a spreadsheet program, is another sheet.",
			"placements/address.go", "a.Document == b.Document && strings.EqualFold(a.Sheet, b.Sheet)", "a.Document == b.Document && strings.Compare(a.Sheet, b.Sheet) == 0",
			"placements", "TestConnect|TestConnectRefusesATakenAddress|TestAddressKeyIsUnambiguous|TestAnySequenceEqualsTheModel",
		},
		{
			"a-reader-moves-anothers-block", "A reader of a report moves the placement of another person.",
			"placements/connect.go", "if s.others(old) && decides || options && old.WrittenFor() != old.Behalf().UID {", "if s.others(old) && decides && options || options && old.WrittenFor() != old.Behalf().UID {",
			"placements", "TestDecidingOverAnotherPersonsPlacementNeedsEditAccess|TestASheetIsRenamedWithEditAccessOnly|TestWhoPlacedIt",
		},
		{
			"a-taken-id-is-taken-again", "A connect gives a placement an id that another one of the spreadsheet has.",
			"placements/connect.go", "if s.IDTaken && ch.Placement.ID == c.PlacementID && (old.ID != c.PlacementID || old.Home() != c.home()) {", "if false {",
			"placements", "TestConnectRefusesATakenID",
		},
		{
			"a-claim-is-believed", "What a reader's add-in says that it wrote is what the next refresh compares with, and cells are lost.",
			"placements/claim.go", "case s.MayEdit || !there:", "case s.By.UID != 0:",
			"placements", "TestClaims|TestClaimsThatFollowEachOther",
		},
		{
			"edits-stay-after-a-move", "A block that was moved shows the typed cells of the place that it left.",
			"placements/connect.go", "p.Edits = nil // they are in the cells that it leaves", "",
			"placements", "TestEditsStayWithTheCellsTheyAreIn",
		},
		{
			"the-end-does-not-move", "A block that was moved without its end is recorded across cells that are not its own.",
			"placements/connect.go", "Row:    min(end.Row+place.Anchor.Row-was.Anchor.Row, MaxRow),", "Row:    end.Row,",
			"placements", "TestConnect|TestAnySequenceEqualsTheModel",
		},
		{
			"the-default-host-wins", "A connect that does not say the host moves an Excel placement to Google Sheets.",
			"placements/connect.go", "p.Host = first(c.Host, old.Host, s.DefaultHost, SheetsA)", "p.Host = first(c.Host, s.DefaultHost, old.Host, SheetsA)",
			"placements", "TestConnect|TestConnectDefaultHost|TestAnySequenceEqualsTheModel",
		},
	}
}
