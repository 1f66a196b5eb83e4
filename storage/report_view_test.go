package storage

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mooring/placements"
	"mooring/storage/record"
)

func TestLastRefreshIsShownAsEncoded(t *testing.T) {
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "plain", `"\`, "<&>\u2028", "\xff", "語"}))
	number := rapid.SampledFrom([]int64{0, -1, 7})
	rapid.Check(t, func(t *rapid.T) {
		m := LastRefresh{
			RefreshedAt: text.Draw(t, "at"), RefreshedBy: number.Draw(t, "by"),
			Echo: Echo{text.Draw(t, "document"), text.Draw(t, "location"), text.Draw(t, "end"), placements.Host(text.Draw(t, "host"))},
		}
		if rapid.Bool().Draw(t, "user") {
			m.RefreshedByUser = &record.User{
				ID: number.Draw(t, "id"), Email: text.Draw(t, "email"), FirstName: text.Draw(t, "name"), Picture: text.Draw(t, "picture"),
			}
		}
		want, err := record.Encode(m)
		if err != nil {
			t.Fatal(err)
		}
		slot := string(noID) + "a slot"
		r := Report{LastRefresh: m}
		for _, shown := range []string{r.lastRefreshMembers(), storedLastRefresh(refreshJSON(&m), echoText(slot, m.Echo))} {
			if got := asObject([]byte(shown)); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		}
		var read LastRefresh
		if err := json.Unmarshal([]byte(want), &read); err != nil {
			t.Fatal(err)
		}
		var stored Report
		if err := stored.readLastRefresh(refreshJSON(&m), echoText(slot, m.Echo)); err != nil || stored.echoes != slot {
			t.Fatalf("slot %q, %v", stored.echoes, err)
		}
		if diff := cmp.Diff(read, stored.LastRefresh); diff != "" {
			t.Errorf("what is read of the two fields (-want +got):\n%s", diff)
		}
	})
}
