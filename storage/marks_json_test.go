package storage

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mooring/placements"
	"mooring/storage/record"
)

func TestAppendedMarksAreTheEncodedOnes(t *testing.T) {
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "plain", `"\`, "<&>\u2028", "\xff", "語"}))
	number := rapid.SampledFrom([]int64{0, -1, 7})
	rapid.Check(t, func(t *rapid.T) {
		m := Marks{
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
		_, echo := splitEcho(echoText(slot, m.Echo))
		for _, r := range []Report{{Marks: m}, {marks: []string{refreshedJSON(&m), echo}}} {
			if got := asObject(r.AppendMarks(nil)); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		}
		var read Marks
		if err := json.Unmarshal([]byte(want), &read); err != nil {
			t.Fatal(err)
		}
		var stored Report
		if err := stored.readMarks(refreshedJSON(&m), echoText(slot, m.Echo)); err != nil || stored.echoes != slot {
			t.Fatalf("slot %q, %v", stored.echoes, err)
		}
		if diff := cmp.Diff(read, stored.Marks); diff != "" {
			t.Errorf("what is read of the two fields (-want +got):\n%s", diff)
		}
	})
}
