package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"mooring/storage/record"
	"mooring/storage/redis"
)

// listScript reads a page of the runs of a deployment.
var listScript = redis.NewScript(redis.NowLua + Lua("lists", "target", "listing") + redis.WalkLua() + Lua("list"))

// List returns the first runs that f wants behind a place, which is empty or the End of the page before, in one round trip for each id of a
// document. With definitions it has those of the reports, as far as they exist.
func (q *Runs) List(
	ctx context.Context, d record.Deployment, f record.RunFilter, after string, first int, definitions bool,
) (p record.RunPage, err error) {
	if len(f.Documents) == 0 {
		return q.listUnder(ctx, d, f, "", after, first, definitions)
	}
	pages := make([]record.RunPage, len(f.Documents))
	for i, document := range f.Documents {
		if pages[i], err = q.listUnder(ctx, d, f, document, after, first, definitions); err != nil {
			return p, err
		}
	}
	return record.JoinRuns(pages, first), nil
}

// listUnder is List of the runs under one id of their document.
func (q *Runs) listUnder(
	ctx context.Context, d record.Deployment, f record.RunFilter, document, after string, first int, definitions bool,
) (p record.RunPage, err error) {
	k, since, state, wanted := q.db.deployment(d), "", "", 0
	if micros := f.Since.UnixMicro(); micros > 0 {
		since = fmt.Sprintf("%016d", micros)
	}
	if definitions {
		wanted = 1
	}
	if f.Open() {
		state = string(f.State)
	}
	var lists []string
	for _, facet := range f.Facets(document) {
		lists = append(lists, k.Runs().List(facet))
	}
	out, err := listScript.Run(ctx, q.db.rdb, lists, after, since, state, first, k.Runs().Record(""), k.ReportPrefix(), wanted).Slice()
	if err != nil {
		return p, redis.Unavailable(err)
	}
	p.HasNextPage, p.End, p.Definitions = out[0] == int64(1), redis.Text(out[1]), map[int64]*record.Definition{}
	rows, _ := out[2].([]any)
	for _, row := range rows {
		if err := addListed(&p, redis.List(row)); err != nil {
			return record.RunPage{}, err
		}
	}
	return p, nil
}

// addListed adds a run to a page, and the definition of its report if that is there.
func addListed(p *record.RunPage, row []string) error {
	_, id, _ := strings.Cut(row[0], ":")
	run, err := liveRun(id, map[string]string{fieldRun: row[1], fieldState: row[2], fieldFence: row[3], fieldStarted: row[4]})
	if err != nil {
		return err
	}
	p.Runs, p.Places = append(p.Runs, run), append(p.Places, row[0])
	if text := row[6]; text != "" {
		definition := new(record.Definition)
		if err := json.Unmarshal([]byte(text), definition); err != nil {
			return fmt.Errorf("report %s: definition: %w", row[5], err)
		}
		p.Definitions[run.ReportID] = definition
	}
	return nil
}

// adoptScript lists a run from before there were lists.
//
//	KEYS   run
//	ARGV   run id, class of its error, report id, owner, target
//	result 1
var adoptScript = redis.NewScript(redis.NowLua + Lua("lists", "target", "listing") + `
local id, class, report, owner, target = unpack(ARGV)
local fields = redis.call('HMGET', KEYS[1], 'state', 'place')
if not fields[1] or fields[2] then return 1 end
local left = redis.call('PTTL', KEYS[1])
local at = now()
if left > 0 then at = at + left - listedFor end
listRun(KEYS[1], id, string.format('%.0f', at) .. '000', fields[1], class, report, owner, target)
return 1`)

// Adopt lists runs of a deployment that were made before there were lists; those that are listed stay as they are. unreadable is called
// with why a run cannot be read.
func (q *Runs) Adopt(ctx context.Context, d record.Deployment, ids []string, unreadable func(error)) error {
	k, p := q.db.deployment(d), q.db.rdb.Pipeline()
	texts := make([]*redis.StringCmd, len(ids))
	for i, id := range ids {
		texts[i] = p.HGet(ctx, k.Runs().Record(id), fieldRun)
	}
	_, _ = p.Exec(ctx) // each command's own error says more
	p = q.db.rdb.Pipeline()
	for i, text := range texts {
		switch err := text.Err(); {
		case errors.Is(err, redis.Nil):
			continue // it was forgotten meanwhile
		case err != nil:
			return redis.Unavailable(err)
		}
		run, err := record.ReadRun(ids[i], text.Val())
		if err != nil {
			unreadable(err)
			continue
		}
		adoptScript.Eval(ctx, p, []string{k.Runs().Record(ids[i])},
			ids[i], string(run.ErrorClass), run.ReportID, run.RequestedBy.ID, run.Target().Field())
	}
	_, err := p.Exec(ctx)
	return redis.Unavailable(err)
}
