package journal_test

import (
	"log/slog"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mooring/storage/journal"
	"mooring/storage/keys"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// A filter looks at a bounded number of entries for a page, and misses none.
func TestEntriesWithAFilter(t *testing.T) {
	server, err := redis.StartEmbedded("", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	client := server.Client()
	t.Cleanup(func() { client.Close() })
	d := record.Deployment{Tenant: "acme", ID: 1}
	script := redis.NewTxnScript(journal.Functions())
	const all, rare = 2500, 500
	var tx redis.Txn
	for n := range all {
		who := record.Actor{ID: 1}
		if n%rare == 0 {
			who.ID = 2
		}
		e := journal.Of(who, journal.Update, journal.OfReport(int64(n%2), strconv.Itoa(n)))
		if err := journal.Note(&tx, keys.Of(d, 1).Audit(), e); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := script.Run(t.Context(), client, &tx); err != nil {
		t.Fatal(err)
	}
	j := journal.New(client, 1, time.Now)
	for filter, want := range map[journal.Filter]int{
		{}:                                   all,
		{User: 1}:                            all - all/rare,
		{User: 2}:                            all / rare,
		{User: 3}:                            0,
		{Kind: journal.Report, AssetID: "1"}: all / 2,
		{Kind: journal.Report, AssetID: "1", User: 2}: 0,
		{Kind: journal.Workbook, AssetID: "1"}:        0,
		{Since: time.Now().Add(time.Hour)}:            0,
		{Since: time.Now().Add(-time.Hour), User: 2}:  all / rare,
	} {
		got, before := 0, strconv.Itoa(all)
		for after := ""; ; {
			page, err := j.Entries(t.Context(), d, filter, after, 300)
			if err != nil || len(page.Entries) > 300 || page.HasNextPage && page.End == "" {
				t.Fatalf("%+v: %d entries, %+v", filter, len(page.Entries), err)
			}
			for _, e := range page.Entries {
				if number(t, e.Asset.Name) >= number(t, before) {
					t.Fatalf("%+v: %s comes after %s", filter, e.Asset.Name, before)
				}
				before = e.Asset.Name
			}
			got += len(page.Entries)
			if after = page.End; !page.HasNextPage {
				break
			}
		}
		if got != want {
			t.Errorf("%+v: %d entries, want %d", filter, got, want)
		}
	}
	late := journal.New(client, 1, func() time.Time { return time.Now().Add(401 * 24 * time.Hour) })
	if page, err := late.Entries(t.Context(), d, journal.Filter{}, "", 10); err != nil || len(page.Entries) > 0 || page.HasNextPage {
		t.Errorf("after 400 days: %+v, %v", page, err)
	}
	if left := client.PTTL(t.Context(), keys.Of(d, 1).Audit()).Val(); left < 399*24*time.Hour {
		t.Errorf("an audit without new entries expires in %s", left)
	}
}

// The uses of a person within an hour are one entry, with their count; the next hour has another one.
func TestUsesOfAnHourAreOneEntry(t *testing.T) {
	server, err := redis.StartEmbedded("", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	client := server.Client()
	t.Cleanup(func() { client.Close() })
	d := record.Deployment{Tenant: "acme", ID: 1}
	script, k := redis.NewTxnScript(journal.Functions()), keys.Of(d, 1)
	use := func(who record.Actor, verb string) {
		t.Helper()
		var tx redis.Txn
		if err := journal.Tally(&tx, k.Audit(), journal.Of(who, verb, journal.OfSource(d.ID))); err != nil {
			t.Fatal(err)
		}
		if _, err := script.Run(t.Context(), client, &tx); err != nil {
			t.Fatal(err)
		}
	}
	ana, ben, job := record.Actor{ID: 1, Name: "Ana"}, record.Actor{ID: 2}, record.Actor{Via: record.Via{Token: "J"}}
	for range 3 {
		use(ana, journal.Preview)
	}
	use(ben, journal.Preview)
	use(job, journal.Preview)
	use(ana, journal.Browse)
	use(ana, journal.Preview)
	mark := k.AuditUse("source.preview:1")
	if left := client.PTTL(t.Context(), mark).Val(); left <= 59*time.Minute || left > time.Hour {
		t.Errorf("an hour ends in %s", left)
	}
	client.Del(t.Context(), mark) // the hour is over
	use(ana, journal.Preview)
	page, err := journal.New(client, 1, time.Now).Entries(t.Context(), d, journal.Filter{}, "", 10)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range page.Entries {
		who := e.Token
		if e.User.ID != 0 {
			who = strconv.FormatInt(e.User.ID, 10)
		}
		got = append(got, e.Action+" "+who+" "+strconv.Itoa(e.Count)+" "+e.Asset.ID)
	}
	want := []string{"source.preview 1 1 1", "source.preview 1 4 1", "source.browse 1 1 1", "source.preview J 1 1", "source.preview 2 1 1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
}

func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
