package standing

import (
	"context"
	"fmt"
	"strconv"

	"mooring/placements"
	"mooring/storage/keys"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// Document is a spreadsheet in which a deployment has placements.
type Document struct {
	ID     string
	Latest placements.Placement // the one that was placed last; zero if it cannot be read
	Counts Counts               // of the deployment's placements in it
}

// DocumentPage is a page of the spreadsheets of a deployment, by id.
type DocumentPage struct {
	Items       []Document
	HasNextPage bool
	End         string // the last spreadsheet that was looked at, for the next page; empty when there was none
}

// documentsScript reads a page of spreadsheets.
var documentsScript = redis.NewScript(redis.WalkLua() + lua("documents"))

// Documents returns the first spreadsheets behind after, which is empty or the End of the page before, that have a placement of the deployment
// with that status, which may be Edited, and are of that host. An empty text bounds nothing. One round trip.
func (l *Lists) Documents(
	ctx context.Context, d record.Deployment, status placements.Status, host placements.Host, after string, first int,
) (p DocumentPage, err error) {
	k, list := keys.Of(d, l.partitions), "all"
	if status != "" {
		list = statusList(status)
	}
	argv := []any{after, first, k.Prefix, string(host)}
	for _, one := range new(Counts).counted() {
		argv = append(argv, one.list)
	}
	out, err := documentsScript.Run(ctx, l.rdb, []string{k.DocumentList(list)}, argv...).Slice()
	if err != nil {
		return p, redis.Unavailable(err)
	}
	p.HasNextPage, p.End = out[0] == int64(1), redis.Text(out[1])
	rows, _ := out[2].([]any)
	for _, row := range rows {
		one, err := readDocument(redis.List(row))
		if err != nil {
			return DocumentPage{}, err
		}
		p.Items = append(p.Items, one)
	}
	return p, nil
}

// readDocument reads a row of a page: spreadsheet, record of the placement that was placed last, counts. Without a readable record, the
// spreadsheet is shown without a name.
func readDocument(row []string) (d Document, err error) {
	d.ID = row[0]
	if p, _, _, err := record.DecodePlacement("", row[1]); err == nil {
		d.Latest = p
	}
	for i, one := range d.Counts.counted() {
		if *one.into, err = strconv.ParseInt(row[2+i], 10, 64); err != nil {
			return d, fmt.Errorf("spreadsheet %q: %s: %w", d.ID, one.list, err)
		}
	}
	return d, nil
}
