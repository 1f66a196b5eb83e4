package lifecycletest

// Scenarios are the worlds that are searched.
func Scenarios() []Scenario {
	return []Scenario{
		{"a run that crashes and waits", []Plan{{Places: 1}}, 1, 2, Budget{Attempts: 2, Crashes: 1, Lapses: 1, Faults: 1}},
		{"a run that is stopped", []Plan{{Places: 3}}, 2, 2, Budget{Attempts: 2, Crashes: 1, Stops: 2}},
		{"an end without an answer", []Plan{{Places: 1}}, 1, 2, Budget{Attempts: 3, Losses: 2, Restores: 1, Lapses: 1}},
		{"agents that shut down", []Plan{{Places: 3}}, 2, 2, Budget{Attempts: 3, Releases: 2, Stops: 1}},
		{"agents that shut down late", []Plan{{Places: 3}}, 2, 2, Budget{Attempts: 3, Releases: 1, Lapses: 1, Drops: 1}},
		{"held runs of one target", []Plan{{Kind: Held, Places: 1, Worker: 1}, {Kind: Held, Places: 1, Worker: 2}}, 1, 1, Budget{Attempts: 1, Crashes: 1}},
		{"add-ins of one target", []Plan{{Kind: Client, Places: 1, Worker: 1}, {Kind: Client, Places: 2, Worker: 2}}, 2, 1, Budget{Attempts: 1, Crashes: 1}},
		{
			"a demand of a user when agents shut down",
			[]Plan{{Places: 3, Asks: true}, {Places: 1, Group: 1}},
			2, 2,
			Budget{Attempts: 2, Releases: 1},
		},
		{
			"a demand of a user that a run which shuts down leaves",
			[]Plan{{Places: 1, Asks: true, Sure: true}, {Places: 3, Group: 1}, {Places: 1, Group: 2, Sure: true}},
			2, 2,
			Budget{Attempts: 2, Releases: 1},
		},
		{"an add-in", []Plan{{Kind: Client, Places: 1, Worker: 2}}, 1, 2, Budget{Attempts: 1, Crashes: 1, Stops: 1, Lapses: 1, Losses: 1}},
		{"an add-in that is stopped again and again", []Plan{{Kind: Client, Places: 1, Worker: 1}}, 1, 1, Budget{Attempts: 1, Stops: 4}},
		{"a run that is stopped again and again", []Plan{{Places: 1}}, 1, 1, Budget{Attempts: 2, Stops: 4}},
		{
			"two add-ins",
			[]Plan{{Kind: Client, Places: 1, Worker: 1}, {Kind: Client, Places: 1, Worker: 2, Group: 1}},
			1, 1,
			Budget{Attempts: 1, Lapses: 1, Drops: 1},
		},
		{"a run that is held", []Plan{{Kind: Held, Places: 1, Worker: 2}}, 1, 2, Budget{Attempts: 3, Crashes: 1, Lapses: 1, Stops: 1, Losses: 1}},
		{
			"a held run that is taken over",
			[]Plan{{Kind: Held, Places: 1, Worker: 2}, {Places: 1, Group: 1}},
			1, 1,
			Budget{Attempts: 2, Lapses: 1},
		},
		{"two runs of one target", []Plan{{Places: 1}, {Places: 1}}, 1, 2, Budget{Attempts: 2, Crashes: 1, Stops: 1}},
		{"two runs that meet", []Plan{{Places: 3}, {Places: 1, Group: 1}}, 2, 2, Budget{Attempts: 2, Crashes: 1}},
		{"three runs that meet", []Plan{{Places: 1}, {Places: 1, Group: 1}, {Places: 1, Group: 2}}, 1, 2, Budget{Attempts: 2}},
		{"runs that shut down and meet", []Plan{{Places: 3}, {Places: 1, Group: 1}}, 2, 2, Budget{Attempts: 2, Releases: 1}},
		{
			"a demand of a user",
			[]Plan{{Places: 1, Asks: true}, {Places: 1, Group: 1}, {Places: 1, Group: 2}},
			1, 2,
			Budget{Attempts: 2},
		},
		{
			"ticks that queue",
			[]Plan{{Places: 1, Tick: true, Lines: true}, {Places: 1, Tick: true, Lines: true}, {Places: 1, Tick: true, Lines: true}},
			1, 2,
			Budget{Attempts: 2},
		},
		{
			"ticks that queue before a backup is restored",
			[]Plan{{Places: 1, Tick: true, Lines: true}, {Places: 1, Tick: true, Lines: true}},
			1, 1,
			Budget{Attempts: 2, Restores: 1, Losses: 1},
		},
		{"ticks that are skipped", []Plan{{Places: 1, Tick: true}, {Places: 1, Tick: true}}, 1, 1, Budget{Attempts: 2, Joins: 1, Stops: 1, Faults: 1}},
		{"placements that go", []Plan{{Places: 3}, {Places: 2, Group: 1}}, 2, 2, Budget{Attempts: 2, Drops: 2}},
		{
			"an add-in beside agents",
			[]Plan{{Places: 1}, {Kind: Client, Places: 1, Worker: 2, Group: 1}, {Places: 1, Group: 2}},
			1, 1,
			Budget{Attempts: 2, Stops: 1, Drops: 1},
		},
	}
}
