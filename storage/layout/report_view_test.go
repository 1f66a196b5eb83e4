package layout

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
		m := record.LastRefresh{
			RefreshedAt: text.Draw(t, "at"), RefreshedBy: number.Draw(t, "by"),
			Echo: record.Echo{
				ExternalWorkbookID: text.Draw(t, "document"), ResultLocation: text.Draw(t, "location"), EndResultCell: text.Draw(t, "end"),
				Host: placements.Host(text.Draw(t, "host")),
			},
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
		for _, shown := range []string{r.LastRefresh.Members(), record.StoredLastRefresh(m.RefreshJSON(), record.EchoText(slot, m.Echo))} {
			if got := record.Object([]byte(shown)); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		}
		var read record.LastRefresh
		if err := json.Unmarshal([]byte(want), &read); err != nil {
			t.Fatal(err)
		}
		var stored Report
		if err := stored.ReadLastRefresh(m.RefreshJSON(), record.EchoText(slot, m.Echo)); err != nil || stored.RepeatedSlot != slot {
			t.Fatalf("slot %q, %v", stored.RepeatedSlot, err)
		}
		if diff := cmp.Diff(read, stored.LastRefresh); diff != "" {
			t.Errorf("what is read of the two fields (-want +got):\n%s", diff)
		}
	})
}

func TestARecordFromBeforeRunAsWasKeptIsRead(t *testing.T) {
	const body = `{"id":"p","workbookId":"doc","host":"SHEETS_A","sheetName":"Data","anchorCell":"B2","resultLocation":"Data!B2","placedByUserId":7}`
	p, err := DecodeRecord("p", "5\t2026-03-01T08:00:00.000Z\t\tq1\t3:docB2!data\n"+body, "")
	if err != nil || p.Claim != 5 || p.RunAs != nil || p.Behalf().UID != 7 {
		t.Errorf("%+v, %v", p, err)
	}
	shown, err := record.ViewPlacement("p", "5\t2026-03-01T08:00:00.000Z\t\tq1\t3:docB2!data\n"+body, "")
	if err != nil || shown.PlacedAt != "2026-03-01T08:00:00.000Z" || shown.QueryChecksum != "q1" || shown.JSON != body {
		t.Errorf("%+v, %v", shown, err)
	}
}
