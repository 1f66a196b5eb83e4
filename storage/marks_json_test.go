package storage

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestAppendedMarksAreTheEncodedOnes(t *testing.T) {
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "plain", `"\`, "<&>\u2028", "\xff", "語"}))
	number := rapid.SampledFrom([]int64{0, -1, 7})
	rapid.Check(t, func(t *rapid.T) {
		m := Marks{
			RefreshedAt: text.Draw(t, "at"), RefreshedBy: number.Draw(t, "by"), ExternalWorkbookID: text.Draw(t, "document"),
			ResultLocation: text.Draw(t, "location"), EndResultCell: text.Draw(t, "end"),
		}
		if rapid.Bool().Draw(t, "user") {
			m.RefreshedByUser = &User{number.Draw(t, "id"), text.Draw(t, "email"), text.Draw(t, "name"), text.Draw(t, "picture")}
		}
		want, err := encode(m)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range []Report{{Marks: m}, {marks: []string{refreshedJSON(&m), locatedJSON(&m)}}} {
			if got := asObject(r.AppendMarks(nil)); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		}
		var read Marks
		if err := json.Unmarshal([]byte(want), &read); err != nil {
			t.Fatal(err)
		}
		stored, err := readMarks(1, refreshedJSON(&m), locatedJSON(&m))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(read, stored); diff != "" {
			t.Errorf("what is read of the two fields (-want +got):\n%s", diff)
		}
	})
}
