//go:build unix

package zoo

// storageSlips are those in the transactions of the storage, and in what a tenant has.
func storageSlips() []slip {
	return []slip{
		{
			"an-apply-over-an-editor", "What a person changes in a dashboard while a plan is applied to it is lost.",
			"storage/code/apply.go", `a.to.Tx.If(a.h.workbooks[w.Held.ID], "HGET", key, layout.FieldDefinition)`, "",
			"storage", "TestAnEditBetweenTheStepsOfAnApply",
		},
		{
			"a-schedule-applied-over-an-editor", "What a person changes in a schedule while a plan is applied to it is lost.",
			"storage/code/apply_write.go", `a.to.Tx.If(a.h.schedules[w.Held.ID], "HGET", key, layout.FieldSpec)`, "",
			"storage", "TestAnEditBetweenTheStepsOfAnApply",
		},
		{
			"a-plan-applied-twice", "Two people who apply one plan are told different things of what it did.",
			"storage/code/apply_txn.go", `a.to.Tx.If("", "HGET", a.to.Keys.Plan(kept.ID), fieldResult)`, "_ = fieldResult",
			"storage", "TestAPlanAppliedBetweenTheStepsOfItsApply",
		},
		{
			"a-commit-without-its-lock", "A writer that was paused longer than its lock writes over what another one has written since.",
			"storage/engine/lock.go", `tx.If(h.Token, "GET", lock)`, "",
			"storage", "TestWriterThatLostItsLockChangesNothing|TestCrashedWritersLeaveAllOrNothing",
		},
		{
			"an-unlock-frees-anothers-lock", "A writer whose lock ran out frees that of the next one.",
			"storage/engine/lock.go", "if redis.call('GET', lock) == ARGV[1] then redis.call('DEL', lock) end", "redis.call('DEL', lock)",
			"storage", "TestWriterDoesNotFreeTheLockOfAnother",
		},
		{
			"a-connect-on-a-stale-version", "A placement is recorded with the query of a version that was replaced meanwhile.",
			"storage/placement_write.go", `t.to.Tx.If(t.report.Version, "HGET", w.k.Report(w.id), layout.FieldVersion)`, "",
			"storage", "TestAConnectIsOfTheReportAsItIsThen",
		},
		{
			"a-connect-beside-a-lock", "A placement is recorded while its report is being deleted.",
			"storage/placement_write.go", `t.to.Tx.If("", "GET", w.k.Locks().Report(w.id))`, "",
			"storage", "TestAConnectWaitsForWhoHasTheReport",
		},
		{
			"an-outcome-over-an-add-ins-write", "A run records its own rows for a block that an add-in has written since.",
			"storage/work/complete.go", "if moved || !one.Written || !isStill(&r.Placements[index], one.Before) ||", "if moved || !one.Written ||",
			"storage", "TestCompleteLeavesToAnAddInWhatItWroteMeanwhile",
		},
		{
			"a-write-ahead-record-stays", "A write that was completed counts as begun, and its rows as nobody's.",
			"storage/work/complete.go", `to.Tx.Then("DEL", to.Keys.Blocks().WriteAheadRows(r.ID, p.ID))`, "",
			"storage", "TestAWriteAheadRecordIsKeptUntilTheWriteIsCompleted|TestCompleteLeavesWhatWasWritten",
		},
		{
			"a-change-is-not-listed", "A report whose query was edited is still in the list of what is up to date.",
			"storage/layout/report.go", "if old.CurrentChecksum != r.CurrentChecksum || ", "if ",
			"storage", "TestListsFollowTheRulesOfSyncStatus",
		},
		{
			"an-update-over-an-adopted-id", "A report gets another publicId than the one that it was given a moment before.",
			"storage/layout/reader.go", "same := []string{FieldVersion, FieldPublicID}", "same := []string{FieldVersion}",
			"storage", "TestAnUpdateSeesAPublicIDThatWasAdoptedMeanwhile",
		},
		{
			"an-owner-is-lost", "A schedule that became another user's a moment before is its former owner's again.",
			"storage/layout/schedule.go", "return []string{FieldSpec, FieldOwner}", "return []string{FieldSpec}",
			"storage", "TestAScheduleIsDecidedOnAgainWhenItChangedMeanwhile",
		},
		{
			"an-edit-is-given-back-twice", "The audit has two people give back one edit.",
			"storage/edit.go", `to.Tx.If(before, "SCARD", marks)`, "_ = before",
			"storage", "TestWhatAnotherGaveBackMeanwhileIsNotGivenBackAgain",
		},
		{
			"an-overtaken-failure-is-listed", "A placement that an add-in has written is still in the list of what failed.",
			"storage/standing/lua/standing.lua", "local overtaken = of.endedAt and of.endedAt ~= '' and refreshedAt > of.endedAt", "local overtaken = false",
			"storage", "TestListsFollowTheRulesOfSyncStatus",
		},
		{
			"a-tall-block-overlaps-nothing", "A block below another one of a thousand rows is not told that it overlaps.",
			"storage/engine/lua/overlapping.lua", "if level > 1 then begin = math.max(top - levelRows[level] + 1, 0) end", "if level > 1 then begin = top end",
			"storage", "TestOverlapsEqualTheModel",
		},
		{
			"an-ended-run-hides-the-next", "A run that was superseded is shown over the run that has finished.",
			"storage/engine/lua/instead.lua", "if not shown and new ~= '1' or shown and cjson.decode(shown).runId ~= run then return end", "if not shown and new ~= '1' then return end",
			"storage", "TestAPlacementThatIsLeftShowsNoRunThatHasEnded",
		},
		{
			"the-audit-forgets-access", "Who gave a role access to a report is not in the audit.",
			"storage/update.go", `to.Note(journal.Access, journal.OfReport(r.ID, r.Name), r.Version, "/rolesWithAccess")`, "",
			"storage", "TestAnEntrySaysWhoFromWhereAndWhat",
		},
		{
			"the-audit-forgets-the-plan", "An entry of the audit does not say by which plan the asset was changed.",
			"storage/journal/entry.go", "Plan: who.Via.Plan, Action:", "Action:",
			"storage", "TestAnEntrySaysWhoFromWhereAndWhat",
		},
		{
			"the-audit-forgets-a-field", "An edit of a report's query is in the audit without the query.",
			"storage/record/members.go", `own("sqlQuery", func(d *Definition) any { return d.SQLQuery }),`, `{Name: "sqlQuery"},`,
			"storage/journal", "TestReportPointers",
		},
		{
			"a-plan-forgets-a-field", "A plan says that a report is unchanged whose row key the bundle changes.",
			"storage/record/members.go", `own("rowKey", func`, `here("rowKey", func`,
			"storage/record/portable", "TestADefinitionHasWhatIsDeclared",
		},
		{
			"the-audit-shows-everybodys", "The audit of one user has the writes of all.",
			"storage/journal/audit.go", "return (f.User == 0 || e.User != nil && e.User.ID == f.User) &&", "return true &&",
			"storage/journal", "TestEntriesWithAFilter",
		},
		{
			"no-version-is-kept", "The version of a report before an edit is lost.",
			"storage/layout/report.go", "to.archiveVersion(r, old)", "",
			"storage", "TestVersionsAreBounded",
		},
		{
			"a-deleted-report-keeps-its-name", "The publicId of a deleted report can never be used again.",
			"storage/layout/report.go", `to.Tx.Then("HDEL", to.Keys.PublicIDs(), r.StoredPublicID)`, "",
			"storage", "TestDeleteReport",
		},
		{
			"a-restore-over-tenants", "A backup is restored over tenants that are there, without --replace.",
			"storage/keep/restore.go", "if !r.options.Replace && (!found || b.Digest != r.contents.Digest) {", "if false {",
			"storage", "TestARestoreNeedsAnEmptyStorageThatIsNotInUse",
		},
		{
			"a-restore-beside-a-server", "A backup is restored while a server writes to the storage.",
			"storage/keep/restore.go", "if p.ID != r.options.Process.ID {", "if false {",
			"storage", "TestARestoreIsAlone|TestARestoreNeedsAnEmptyStorageThatIsNotInUse",
		},
		{
			"the-second-who-revokes-is-told", "The audit of a revoked key names who revoked it last, not first.",
			"storage/tenants/lua/revoke.lua", "redis.call('HSETNX', told, id, about)", "redis.call('HSET', told, id, about)",
			"storage", "TestRevocation",
		},
		{
			"a-late-answer-is-kept", "A request that took too long leaves its answer to the next one under the key.",
			"storage/tenants/lua/keep_answer.lua", "if redis.call('HGET', answer, 'token') ~= token then return 0 end", "",
			"storage", "TestLateAttemptDoesNotTouchTheNextOne",
		},
		{
			"a-sign-in-is-taken-twice", "Whoever gets hold of the address with which a person came back signs in with it, too.",
			"storage/tenants/session.go", "text, err := r.rdb.GetDel(ctx, key).Bytes()", "text, err := r.rdb.Get(ctx, key).Bytes()",
			"storage", "TestASignInIsTakenOnce",
		},
	}
}

// portableSlips are those in plans of assets as code.
func portableSlips() []slip {
	return []slip{
		{
			"prune-without-set", "An apply deletes what has no file, although nobody said --prune.",
			"storage/record/portable/plan_prune.go", "if m.Bundle.Prune == nil {", "if m.Bundle.Prune == nil && len(left) == 0 {",
			"storage/record/portable", "TestPlanAfterAnApply|TestPlanForAReader|TestProtectionIsApplied",
		},
		{
			"prune-takes-what-is-protected", "An apply with --prune deletes an asset that is protected.",
			"storage/record/portable/plan_prune.go", `spared = "it is protected: remove protect and apply that first"`, "_ = one",
			"storage/record/portable", "TestPlanAfterAnApply|TestPruneLimit|TestProtectionIsApplied",
		},
		{
			"prune-without-a-limit", "An apply of a half-empty folder with --prune deletes everything.",
			"storage/record/portable/plan_prune.go", "deletes > most {", "false && deletes > most {",
			"storage/record/portable", "TestPruneLimit",
		},
		{
			"prune-from-under-a-schedule", "An apply deletes a report that a dashboard shows.",
			"storage/record/portable/plan_prune.go", "if len(uses) > 0 {", "if false {",
			"storage/record/portable", "TestPlanAfterAnApply|TestPlanRights|TestPruneLimit",
		},
		{
			"a-stale-plan-is-applied", "An apply does what was planned, whatever has changed on the server since.",
			"storage/record/portable/plan_stale.go", "if p.Hash == now.Hash {", "if p != nil {",
			"storage/record/portable", "TestPlanIsStale",
		},
		{
			"a-plan-skips-the-read-rule", "A plan shows whoever has its id the reports that they may not read.",
			"storage/record/portable/plan_stale.go", "return who.Level(&r.Definition) < record.MayRead", "return false",
			"storage/record/portable", "TestPlanForAReader|TestAPlanShowsWhereThingsWereToWhoMayReadThat",
		},
		{
			"access-by-an-editor", "An editor's apply changes who has access to a report.",
			"storage/record/portable/plan_asset.go", `if held != nil && touches(one.Changes, "/access") {`, "if false {",
			"storage/record/portable", "TestPlanRights",
		},
	}
}
