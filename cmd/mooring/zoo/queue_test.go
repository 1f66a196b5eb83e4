//go:build unix

package zoo

// queueSlips are those in the scripts of the queue and in what agents do with it.
func queueSlips() []slip {
	return []slip{
		{
			"a-tick-fires-twice", "An agent that has read a schedule before it was paused fires it still.",
			"storage/queue/lua/fire.lua", "if redis.call('HGET', schedule, 'next') ~= tick then return 0 end", "",
			"storage", "TestATickThatWasReadBeforeAPauseIsNotFired",
		},
		{
			"runs-of-a-schedule-overlap", "A schedule that skips what overlaps runs beside its own earlier run.",
			"storage/queue/lua/fire.lua", "if json == '' or (queues == '0' and maySkip(nil, busy)) then", "if json == '' then",
			"storage", "TestOverlapSkipRecordsWhatItSkips",
		},
		{
			"a-queued-tick-jumps-the-queue", "The run of a schedule that queues its runs is started beside the one before.",
			"storage/queue/lua/fire.lua", "redis.call('RPUSH', waiting, id)", "redis.call('XADD', queue, '*', 't', tenant, 'd', deployment, 'r', id)",
			"storage", "TestOverlapQueueRunsOneAfterTheOther",
		},
		{
			"placements-that-became-one-run-twice", "Of placements that became one and say values of parameters two runs go on at a time.",
			"storage/queue/lua/target.lua", "string.rep('[^\\t\\n]*\\t', 8)", "string.rep('[^\\t\\n]*\\t', 9)",
			"storage", "TestRunsOfPlacementsThatBecameOneMeet",
		},
		{
			"a-claim-without-its-fence", "An attempt that was overtaken shows placements as its own.",
			"storage/queue/lua/claim.lua", "if not mayClaim(own[1], own[2], fence, own[3], known) then", "if false then",
			"storage", "TestAnOlderAttemptClaimsNothing",
		},
		{
			"taken-over-unseen", "A run takes over a placement from a run that has begun to work on it since.",
			"storage/queue/lua/claim.lua", "if seen ~= '' and redis.call('HGET', KEYS[6 + i], 'fence') ~= seen then return 0 end", "",
			"storage", "TestOnlyWhatAnOlderRunWasReadDoingIsTakenOver",
		},
		{
			"a-paused-schedule-keeps-firing", "A schedule that was paused after five failures fires on.",
			"storage/queue/lua/complete.lua", "redis.call('HSET', schedule, 'pausedReason', reason, 'next', '')", "redis.call('HSET', schedule, 'pausedReason', reason)",
			"storage", "TestATickThatWasReadBeforeAPauseIsNotFired",
		},
		{
			"failures-are-never-forgotten", "Five failures in all, with successes between them, pause a schedule.",
			"storage/queue/lua/complete.lua", "redis.call('HDEL', schedule, 'failures')", "",
			"storage", "TestFiveFailuresInARowPauseASchedule",
		},
		{
			"an-ended-run-stays-wanted", "A placement stays claimed by a run that has ended, and later runs read it for nothing.",
			"storage/queue/lua/complete.lua", "if #mine > 0 then redis.call('HDEL', placed, unpack(mine)) end", "",
			"storage", "TestARunThatIsDoneWithAPlacementWantsItNoMore",
		},
		{
			"a-waiting-run-keeps-its-target", "While a run waits for a document, nobody can ask for another run of its report.",
			"storage/queue/lua/complete.lua", "if redis.call('HGET', active, target) == id then redis.call('HDEL', active, target) end", "",
			"storage", "TestOnlyWhatAnOlderRunWasReadDoingIsTakenOver",
		},
		{
			"the-next-run-never-starts", "A run that waits behind one of its schedule is never started.",
			"storage/queue/lua/complete.lua", "return give(following)", "return",
			"storage", "TestOverlapQueueRunsOneAfterTheOther",
		},
		{
			"a-stop-is-lost-at-a-retry", "A run that is to stop, and failed at that moment, waits for its next attempt instead.",
			"storage/queue/lua/complete.lua", "if redis.call('HGET', run, 'stop') then give(id) else redis.call('ZADD', due, again, runMember) end", "redis.call('ZADD', due, again, runMember)",
			"storage", "TestAStopThatMeetsAFailingAttemptNeedNotWaitForTheNext|TestStopInEveryState",
		},
		{
			"what-waits-holds-its-schedule-up", "A schedule does not go on while all that is left of its run waits for a document.",
			"storage/queue/lua/complete.lua", "if scheduleID ~= '0' then startNext() end", "",
			"refresh", "TestOnlyARunThatQueriesOrWritesOverlaps",
		},
		{
			"two-runs-by-hand", "Two people who ask for the same run get two of them.",
			"storage/queue/lua/enqueue.lua", "if not mayEnqueue(nil, before) then return before end", "",
			"storage", "TestOneManualRunAtATimeOnATarget",
		},
		{
			"a-flood-goes-first", "A tenant that asks for a run waits until all runs are done that another one has asked for.",
			"storage/queue/lua/offer.lua", "open > 64 and queue .. ':crowd' or queue", "queue",
			"storage", "TestARunDoesNotWaitForAllOfADeploymentThatAsksForVeryMany",
		},
		{
			"an-agent-writes-into-an-add-ins-document", "An add-in starts a run in a document to which an agent writes.",
			"storage/queue/lua/start_client.lua", "if not mayStartClient(nil, holder, before) then return before or {holder} end", "if before then return before end",
			"storage", "TestADocumentIsOneClientsOrOneAgents|TestAClientRunLocksTheDocumentThatItNames",
		},
		{
			"an-agent-is-starved-by-add-ins", "Add-ins take a document again and again while an agent waits for it.",
			"storage/queue/lua/start_client.lua", "if redis.call('EXISTS', turn) == 1 then return {''} end", "",
			"storage", "TestAnAgentThatWaitsGoesBeforeTheNextAddIn|TestEachAgentThatWaitsGoesBeforeTheNextAddIn",
		},
		{
			"a-stopped-add-in-keeps-its-document", "A document stays locked by an add-in whose run was stopped.",
			"storage/queue/lua/stop.lua", "if client then freeDocument(id, told, locks) end", "",
			"storage", "TestAClientRunIsTakenToBeStopped|TestAPlacementThatGoesEndsTheRunOfItsAddIn",
		},
		{
			"an-arrival-told-twice-runs-twice", "New data that is announced twice is refreshed twice.",
			"storage/queue/lua/arrive.lua", "if told then return told end", "",
			"storage", "TestAnArrivalToldAgainMakesNoRun|TestOfManyThatTellAnArrivalOneMakesItsRun",
		},
		{
			"new-data-is-missed", "New data is left to a run that has queried the source before it came.",
			"storage/queue/lua/arrive.lua", "return mayJoin(fields[1], fields[2], fields[3])", "return fields[1] == 'QUEUED' and not fields[3]",
			"storage", "TestARunThatWaitsForItsNextAttemptIsNotJoined|TestAnArrivalMakesARunLikeATick",
		},
		{
			"histories-grow-forever", "The runs of a schedule of every minute fill the storage.",
			"storage/queue/lua/run.lua", "redis.call('DEL', prefix .. id)", "",
			"storage", "TestHistoryKeepsTheLastHundredRuns|TestARunIsKeptAsLongAsOneHistoryListsIt",
		},
		{
			"a-dead-agents-fence", "Two attempts of a run have the same fence, and both may write.",
			"storage/queue/lua/begin.lua", "local started, fence = fields[4] or at, fields[3] + 1", "local started, fence = fields[4] or at, tonumber(fields[3])",
			"storage", "TestAnOlderAttemptLeavesNothing|TestACompletedAttemptDoesNotCompleteTwice",
		},
		{
			"a-lost-attempt-is-renewed", "An agent that was overtaken keeps working, and takes the run back from the other.",
			"storage/queue/lua/renew.lua", "if not mayRenew(fields[1], fields[2], fence) then return 0 end", "",
			"storage", "TestAnOlderAttemptLeavesNothing|TestOrphansAreFoundBehindAnyNumberOfLivingEntries|TestAHeldRunWhoseHolderDiesGoesToTheAgents",
		},
		{
			"an-entry-is-silent-until-it-is-begun", "A run whose beginning takes long, since many begin, is begun by another agent too.",
			"refresh/agent.go", "a.engine.attempts.keeper.keep(ctx, a.engine.queue.Queue.Pulse(a.name, entry), func(error) {})", "func() {}",
			"refresh", "TestAnEntryByWhichAnAttemptIsBeingBegunIsKept",
		},
		{
			"an-overtaken-attempt-takes-the-entry-along", "A run is at work for ever, and refuses others, once the agent that took its own entry back has died.",
			"storage/queue/attempt.go", "latest[2] == entry or ", "",
			"storage", "TestAnAttemptThatIsGivenUpLeavesTheEntryOfItsAgentsNext",
		},
		{
			"completed-without-its-fence", "An agent that was paused for minutes completes a run that another one has taken.",
			"storage/queue/complete.go", `tx.If(a.Fence, "HGET", run, "fence")`, `tx.If("1", "EXISTS", run)`,
			"storage", "TestAnOlderAttemptLeavesNothing",
		},
		{
			"a-due-thing-is-not-leased", "Each agent gets everything that is due, again and again.",
			"storage/queue/tick.go", "redis.call('ZADD', due, at + lease, member)", "",
			"storage", "TestPoppedThingsAreLeased",
		},
		{
			"a-resumed-schedule-is-forgotten", "A schedule that is resumed while an agent forgets it never fires again.",
			"storage/queue/tick.go", "if next and next ~= '' then return 0 end", "",
			"storage", "TestForgettingKeepsWhatWasResumedMeanwhile",
		},
		{
			"a-lease-beyond-the-runs-limit", "An add-in holds a spreadsheet for as long as it renews its lease.",
			"storage/queue/client.go", "local ends = math.min(at + lease, fields[3] + limit, (fields[4] or at + lease) + 0)", "local ends = at + lease",
			"storage", "TestARenewedLeaseEndsLaterButWithinTheLimit|TestARunWithoutAPlanIsShort",
		},
		{
			"a-lost-client-lease-is-renewed", "An add-in gets back a document that an agent has taken since.",
			"storage/queue/client.go", "if not mayRenewClient(fields[1], fields[2], fence, redis.call('GET', KEYS[2]) == token) then return '' end", "",
			"storage", "TestALeaseThatEndedHoldsNothing|TestARenewedLeaseEndsLaterButWithinTheLimit",
		},
		{
			"two-agents-ask-a-probe", "Every agent asks the source whether its data has changed.",
			"storage/queue/probe.go", "if holder and holder ~= ARGV[1] then return {'0', '', '0'} end", "",
			"storage", "TestOneAgentAsksAProbe",
		},
		{
			"a-probes-value-is-kept-late", "An agent that has lost a probe keeps its old value, and a change is refreshed twice.",
			"storage/queue/probe.go", "if (redis.call('HGET', KEYS[2], 'changes') or '0') ~= ARGV[2] then return 0 end", "",
			"storage", "TestOneAgentAsksAProbe",
		},
	}
}
