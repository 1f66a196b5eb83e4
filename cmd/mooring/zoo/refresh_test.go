//go:build unix

package zoo

// tickSlips are those in when schedules fire and failed runs are tried again.
func tickSlips() []slip {
	return []slip{
		{
			"a-night-of-two-hours", "On the night on which clocks go back, a schedule at half past two fires an hour late.",
			"refresh/cron/cron.go", "return earlier", "return at",
			"refresh/cron", "TestVectors|TestAgainstOracle|TestNext",
		},
		{
			"a-lost-hour", "On the night on which clocks go forward, a schedule fires an hour early, or never.",
			"refresh/cron/cron.go", "if asUTC(at).After(wall) {", "if asUTC(at).Before(wall) {",
			"refresh/cron", "TestVectors|TestAgainstOracle|TestNext",
		},
		{
			"an-hour-without-end", "On the night on which clocks go back, a schedule fires the first hour again and again.",
			"refresh/cron/cron.go", "at.After(t) {", "!at.IsZero() {",
			"refresh/cron", "TestVectors|TestAgainstOracle|TestNext",
		},
		{
			"every-second", "A schedule may fire each second.",
			"refresh/cron/cron.go", "if interval < minInterval {", "if interval < time.Second {",
			"refresh/cron", "TestParseRefuses",
		},
		{
			"another-schedules-zone", "A schedule fires at the hour of another time zone, in which a schedule of the same times was read before.",
			"refresh/cron_cache.go", `key := zone + "\n" + strings.Join(specs, "\n")`, `key := strings.Join(specs, "\n")`,
			"refresh", "TestEachScheduleFiresInItsOwnZone",
		},
		{
			"jitter-is-missed", "A tick with a jitter of some minutes counts as missed, and is skipped.",
			"refresh/tick.go", "if now.Sub(tick) <= onTime+jitter {", "if now.Sub(tick) <= min(onTime, onTime+jitter) {",
			"refresh", "TestDecideTick",
		},
		{
			"the-first-missed-tick", "After an outage a schedule that catches up the latest tick refreshes as of the first.",
			"refresh/tick.go", "f.catchUp(c, times, tick, last)", "f.catchUp(c, times, tick, first)",
			"refresh", "TestDecideTick",
		},
		{
			"catch-up-all-skips", "A schedule that is to catch up all ticks drops all but the first.",
			"refresh/tick.go", "f.Queue = true", "",
			"refresh", "TestDecideTick|TestCatchUpAllMakesEveryTickGoodOnce",
		},
		{
			"a-refusal-is-tried-again", "A run whose credentials are refused tries for a quarter of an hour.",
			"refresh/fault/fault.go", "return f.Class == placements.Transient || f.Class == placements.Quota", "return f.Class == placements.Transient || f.Class == placements.Quota || f.Class == placements.Auth",
			"refresh/fault", "TestNextTry|TestRetriesSpanTheHorizon",
		},
		{
			"a-quota-is-hammered", "A service that asks to wait for a minute is asked again after seconds.",
			"refresh/fault/retry.go", "at := now.Add(max(bound/2+time.Duration(jitter*float64(bound/2)), f.RetryAfter))", "at := now.Add(bound/2 + time.Duration(jitter*float64(bound/2)))",
			"refresh/fault", "TestNextTry",
		},
		{
			"a-missing-file-fails-at-once", "A run fails after a quarter of an hour because a disk was not mounted.",
			"refresh/fault/retry.go", "return missingDelay, WaitingLimit", "return missingDelay, RetryHorizon",
			"refresh/fault", "TestNextTry|TestRetriesSpanTheHorizon",
		},
	}
}

// refreshSlips are those in how agents and add-ins refresh.
func refreshSlips() []slip {
	return []slip{
		{
			"an-overtaken-agent-writes", "An agent that was paused writes over what the next one has written.",
			"refresh/document/write.go", "if !noted[i] {", "if !noted[i] && false {",
			"refresh", "TestARunThatAnotherAgentHasTakenIsNotWrittenHere",
		},
		{
			"an-ambiguous-write-is-forgotten", "A run whose write may have happened does not say what it replaced.",
			"refresh/document/write.go", "one.out.Sent = !refused(err)", "one.out.Sent = err == nil",
			"refresh", "TestARunSaysWhatItReplacedOnlyIfItMayHaveWritten|TestWhatAnAttemptChangedThatDiedIsKept",
		},
		{
			"an-ambiguous-write-is-a-refusal", "A write whose answer was lost is made again block by block.",
			"refresh/document/write.go", "return ok && !fault.Retryable(f)", "return ok && f != nil",
			"refresh", "TestARunSaysWhatItReplacedOnlyIfItMayHaveWritten|TestAWriteOfSeveralBatchesIsTakenUp|TestARefusedWriteFailsOnlyWhatIsRefused",
		},
		{
			"a-wait-is-work", "A run that waits for a spreadsheet is ended as if it had worked too long.",
			"refresh/write.go", "a.asker.limit.Pause()", "",
			"refresh", "TestWaitingForADocumentIsNoFailure|TestARunThatWorksTooLongEnds|TestAnAgentWaitsForAClient",
		},
		{
			"what-was-asked-for-is-dropped", "What a person asked for by hand is dropped for the next tick.",
			"refresh/takeover.go", ".Meet(waits, a.asks(p.ID))", ".Meet(waits, false)",
			"refresh", "TestWhatAUserAskedForIsNotLeftToANewerRun",
		},
		{
			"a-readers-schedule-writes-everywhere", "A reader's schedule refreshes the blocks of others.",
			"refresh/allowed.go", "return a.ledger.run.ScheduleID == 0 || p.PlacedFor(by.ID)", "return true",
			"refresh", "TestAScheduleOfAReaderRefreshesTheirOwnPlacementsOnly",
		},
		{
			"placed-for-is-asked-once", "An add-in goes on with the rows of a block that another person has taken over meanwhile.",
			"refresh/client.go", "if err := placedFor(p.Placement, s.By); err != nil {", "if err := placedFor(p.Placement, record.Behalf(p.Placement)); err != nil {",
			"refresh", "TestARunThatBeganAsItsPlacementWasTakenOver",
		},
		{
			"rights-that-were-lost", "A placement goes on being refreshed for a person who may not read the report any more.",
			"refresh/allowed.go", "case p.RunAs != nil && a.ledger.level(as) < record.MayRead:", "case false && p.RunAs != nil && a.ledger.level(as) < record.MayRead:",
			"refresh", "TestARunFailsAuthWhereThePlacerMayNoLongerRead",
		},
		{
			"a-readers-document-is-opened", "A reader has an agent write a report into any file of the folder.",
			"refresh/allowed.go", "case !a.ledger.client() && !a.sites.MayOpen(a.ledger.d, p.Placement):", "case false && !a.sites.MayOpen(a.ledger.d, p.Placement):",
			"refresh", "TestAnAgentOpensNoDocumentThatAReaderChose",
		},
		{
			"an-age-goes-back", "A block is shown as of an earlier time than the data that it holds.",
			"refresh/document/target.go", "if before > asked && before <= now {", "if before > asked && false {",
			"refresh/document", "TestAnAgeGoesBackOnlyWithTheClock",
		},
	}
}

// writeSlips are those in what a refresh decides to write.
func writeSlips() []slip {
	return []slip{
		{
			"stop-overwrites", "A refresh that is to stop at edits overwrites them.",
			"refresh/plan/decide.go", "case edited && p.tables.OnEdit == placements.Stop:", "case edited && false:",
			"refresh/plan", "TestDecide|TestStopNamesWhatWasDone",
		},
		{
			"a-typed-cell-goes-with-its-column", "A cell that a person typed is deleted with a column that the source has dropped.",
			"refresh/plan/decide.go", "if c.Known && !c.Returned {", "if c.Known && c.Returned {",
			"refresh/plan", "TestATypedCellDoesNotGoWithItsColumn",
		},
		{
			"a-block-grows-over-notes", "A block that grows overwrites what stands below it.",
			"refresh/plan/foreign.go", "if foreign == nil {", "if true {",
			"refresh/plan", "TestCellsWhereABlockGoes|TestDecide",
		},
		{
			"overwritten-rows-are-not-kept", "A refresh overwrites more typed rows than the run can keep the values of.",
			"refresh/plan/decide.go", "if len(edited) > MaxOverwritten {", "if false {",
			"refresh/plan", "TestMoreRowsThanARunCanKeepAreNotOverwritten",
		},
		{
			"an-earlier-attempts-rows-are-lost", "What an attempt has overwritten that died is in no run.",
			"refresh/plan/decide.go", "plan.Inherited = p.tables.inherited(plan.Overwritten)", "",
			"refresh/plan", "TestWhatAnEarlierAttemptReplacedIsKeptInTheRun",
		},
		{
			"rows-that-stand-are-told-as-replaced", "A run tells a value as replaced that still stands in its cell.",
			"refresh/plan/decide.go", "if stands[values] > 0 {", "if false {",
			"refresh/plan", "TestWhatAnEarlierAttemptReplacedIsKeptInTheRun",
		},
		{
			"another-runs-rows-are-lost", "What a run has overwritten is in no run, if another followed before it could say so.",
			"refresh/document/memory.go", "last.Overwritten = converted(s.Overwritten, planRow)",
			"if s.Run == run { last.Overwritten = converted(s.Overwritten, planRow) }",
			"refresh/document", "TestWhatIsKnownOfTheLastWrite",
		},
		{
			"earlier-columns-are-forgotten", "Columns that a write left whose answer was lost count as changed by a person, once another write is tried.",
			"refresh/document/memory.go", "for _, w := range s.Unfinished {", "for _, w := range s.Unfinished[:0] {",
			"refresh/document", "TestAttemptsThatDieOneAfterTheOther",
		},
		{
			"what-stands-for-another-is-told", "A person is told what changed in rows that were queried for another.",
			"refresh/document/block.go", "of.Foreign = b.foreign", "",
			"refresh", "TestWhatAWriteForAnotherPersonMayHaveLeftIsNotTold",
		},
		{
			"what-stood-beside-is-told", "What a person typed beside a row that left is told to another by the next run.",
			"refresh/document/block.go", "of.Beside = b.othersValues()", "",
			"refresh", "TestWhatStoodBesideALostWriteIsNotToldByTheNextRun",
		},
		{
			"a-copied-row-is-lost", "A copy of a row that a person put into the block is deleted, since older writes were lost.",
			"checksum/last.go", "i != chosen && (i == 0 || !known[row])", "i != chosen || known[row] && i < 0",
			"refresh/plan", "TestACopyOfARowIsAPersonsThoughWritesWereLost",
		},
		{
			"a-restored-block-is-trusted", "After a backup was restored, rows that Mooring wrote are kept as typed by people forever.",
			"refresh/plan/doubt.go", `case p.Restored != "":`, "case false:",
			"refresh/plan", "TestARestoredBlock",
		},
		{
			"a-stamp-covers-typed-rows", "Rows that a person typed count as Mooring's own after the storage fell back.",
			"refresh/plan/stamp.go", "case people[row]:", "case false:",
			"refresh/plan", "TestAStampCoversRowsWhereverTheyStand|TestNoRowOfOursIsTakenForAPersons|TestAStampIsReadAsItWasWritten",
		},
		{
			"an-edit-is-new-each-time", "An edit that was seen yesterday is shown as found by the last run.",
			"refresh/plan/edit.go", "e.SeenAt = before.SeenAt", "_ = before",
			"refresh/plan", "TestOnlyTheCellsThatAPersonTypedStay|TestACellTypedAnewIsNotGivenBack|TestACellGivenBackFollowsItsRow|TestAnInsertedRowStaysAPersonsOwn",
		},
		{
			"a-key-shows-a-value", "An error names a value that only one person may see.",
			"refresh/plan/decide.go", "if !in.Personal {", "if true {",
			"refresh/plan", "TestARowKeyThatIsNone",
		},
	}
}
