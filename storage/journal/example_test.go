package journal_test

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"mooring/storage/journal"
	"mooring/storage/keys"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// An entry and a version are kept if the transaction is run that they are part of.
func Example() {
	ctx := context.Background()
	server, err := redis.StartEmbedded("", slog.New(slog.DiscardHandler))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	client := server.Client()
	defer client.Close()
	d := record.Deployment{Tenant: "acme", ID: 1}
	k := keys.Of(d, 1)
	client.HSet(ctx, k.Report(17), "definition", `{"name":"Sales","version":1}`)

	before, after := &record.Definition{Name: "Sales", Version: 1}, &record.Definition{Name: "Sales by region", Version: 2}
	ada := record.Actor{ID: 7, Name: "Ada", Via: record.Via{Address: "192.0.2.1"}}
	e := journal.Of(ada, journal.Update, journal.OfReport(17, after.Name)).Made(after.Version, journal.ReportPointers(before, after)...)
	var tx redis.Txn
	fmt.Println(journal.Archive(&tx, k, 17, before, 28), journal.Note(&tx, k.Audit(), e))
	tx.Then("HSET", k.Report(17), "definition", `{"name":"Sales by region","version":2}`)
	if _, err = redis.NewTxnScript(journal.Functions()).Run(ctx, client, &tx); err != nil {
		fmt.Println(err)
		return
	}

	j := journal.New(client, 1, time.Now)
	page, err := j.Entries(ctx, d, journal.Filter{User: 7}, "", 10)
	for _, e := range page.Entries {
		fmt.Println(e.User.FirstName, e.From, e.Action, e.Asset.Name, e.Pointers, err)
	}
	versions, _, err := j.Versions(ctx, d, 17)
	for _, v := range versions {
		fmt.Println(v.Version, v.Name, v.Current, err)
	}
	// Output:
	// <nil> <nil>
	// Ada 192.0.2.1 report.update Sales by region [/name] <nil>
	// 2 Sales by region true <nil>
	// 1 Sales false <nil>
}
