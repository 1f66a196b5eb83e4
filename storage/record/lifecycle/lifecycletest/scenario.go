package lifecycletest

// Scenarios are the worlds that are searched.
func Scenarios() []Scenario {
	return []Scenario{
		{"a run that crashes and waits", []RunPlan{{Places: 1}}, 1, 2, Budget{Attempts: 2, Crashes: 1, Lapses: 1, Faults: 1}},
		{"a run that is stopped", []RunPlan{{Places: 3}}, 2, 2, Budget{Attempts: 2, Crashes: 1, Stops: 2}},
		{"an end without an answer", []RunPlan{{Places: 1}}, 1, 2, Budget{Attempts: 3, Losses: 2, Restores: 1, Lapses: 1}},
		{"agents that shut down", []RunPlan{{Places: 3}}, 2, 2, Budget{Attempts: 3, Releases: 2, Stops: 1}},
		{"agents that shut down late", []RunPlan{{Places: 3}}, 2, 2, Budget{Attempts: 3, Releases: 1, Lapses: 1, Drops: 1}},
		{"held runs of one target", []RunPlan{{Kind: Held, Places: 1, Worker: 1}, {Kind: Held, Places: 1, Worker: 2}}, 1, 1, Budget{Attempts: 1, Crashes: 1}},
		{"add-ins of one target", []RunPlan{{Kind: Client, Places: 1, Worker: 1}, {Kind: Client, Places: 2, Worker: 2}}, 2, 1, Budget{Attempts: 1, Crashes: 1}},
		{
			"a demand of a user when agents shut down",
			[]RunPlan{{Places: 3, Asks: true}, {Places: 1, Group: 1}},
			2, 2,
			Budget{Attempts: 2, Releases: 1},
		},
		{
			"a demand of a user that a run which shuts down leaves",
			[]RunPlan{{Places: 1, Asks: true, Sure: true}, {Places: 3, Group: 1}, {Places: 1, Group: 2, Sure: true}},
			2, 2,
			Budget{Attempts: 2, Releases: 1},
		},
		{"an add-in", []RunPlan{{Kind: Client, Places: 1, Worker: 2}}, 1, 2, Budget{Attempts: 1, Crashes: 1, Stops: 1, Lapses: 1, Losses: 1}},
		{"an add-in that is stopped again and again", []RunPlan{{Kind: Client, Places: 1, Worker: 1}}, 1, 1, Budget{Attempts: 1, Stops: 4}},
		{"a run that is stopped again and again", []RunPlan{{Places: 1}}, 1, 1, Budget{Attempts: 2, Stops: 4}},
		{
			"two add-ins",
			[]RunPlan{{Kind: Client, Places: 1, Worker: 1}, {Kind: Client, Places: 1, Worker: 2, Group: 1}},
			1, 1,
			Budget{Attempts: 1, Lapses: 1, Drops: 1},
		},
		{"a run that is held", []RunPlan{{Kind: Held, Places: 1, Worker: 2}}, 1, 2, Budget{Attempts: 3, Crashes: 1, Lapses: 1, Stops: 1, Losses: 1}},
		{
			"a held run that is taken over",
			[]RunPlan{{Kind: Held, Places: 1, Worker: 2}, {Places: 1, Group: 1}},
			1, 1,
			Budget{Attempts: 2, Lapses: 1},
		},
		{"two runs of one target", []RunPlan{{Places: 1}, {Places: 1}}, 1, 2, Budget{Attempts: 2, Crashes: 1, Stops: 1}},
		{"two runs that meet", []RunPlan{{Places: 3}, {Places: 1, Group: 1}}, 2, 2, Budget{Attempts: 2, Crashes: 1}},
		{"three runs that meet", []RunPlan{{Places: 1}, {Places: 1, Group: 1}, {Places: 1, Group: 2}}, 1, 2, Budget{Attempts: 2}},
		{"runs that shut down and meet", []RunPlan{{Places: 3}, {Places: 1, Group: 1}}, 2, 2, Budget{Attempts: 2, Releases: 1}},
		{
			"a demand of a user",
			[]RunPlan{{Places: 1, Asks: true}, {Places: 1, Group: 1}, {Places: 1, Group: 2}},
			1, 2,
			Budget{Attempts: 2},
		},
		{
			"ticks that queue",
			[]RunPlan{{Places: 1, Tick: true, Lines: true}, {Places: 1, Tick: true, Lines: true}, {Places: 1, Tick: true, Lines: true}},
			1, 2,
			Budget{Attempts: 2},
		},
		{
			"ticks that queue before a backup is restored",
			[]RunPlan{{Places: 1, Tick: true, Lines: true}, {Places: 1, Tick: true, Lines: true}},
			1, 1,
			Budget{Attempts: 2, Restores: 1, Losses: 1},
		},
		{"ticks that are skipped", []RunPlan{{Places: 1, Tick: true}, {Places: 1, Tick: true}}, 1, 1, Budget{Attempts: 2, Joins: 1, Stops: 1, Faults: 1}},
		{"placements that go", []RunPlan{{Places: 3}, {Places: 2, Group: 1}}, 2, 2, Budget{Attempts: 2, Drops: 2}},
		{
			"an add-in beside agents",
			[]RunPlan{{Places: 1}, {Kind: Client, Places: 1, Worker: 2, Group: 1}, {Places: 1, Group: 2}},
			1, 1,
			Budget{Attempts: 2, Stops: 1, Drops: 1},
		},
	}
}
