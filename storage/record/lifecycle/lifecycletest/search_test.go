package lifecycletest

import (
	"testing"

	"mooring/storage/record/lifecycle"
)

// most is how many worlds a search may see: one that sees more has a scenario that is too large, or a table that lets something grow.
const most = 1_000_000

// Every world is searched that the table allows, and none is wrong.
func TestNoRunGoesWrong(t *testing.T) {
	total := 0
	for _, scenario := range Scenarios() {
		m := &Model{&scenario, lifecycle.Rules()}
		found := m.Search(most)
		if total += found.Worlds; found.Wrong != "" {
			t.Errorf("%s: %s", scenario.Name, &found)
		}
		t.Logf("%s: %d worlds", scenario.Name, found.Worlds)
	}
	t.Logf("%d worlds in %d scenarios", total, len(Scenarios()))
}
