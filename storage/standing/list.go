package standing

import (
	"context"
	"encoding/json"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"mooring/placements"
	"mooring/storage/keys"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// Lists reads the lists of placements and spreadsheets. It is safe for concurrent use.
type Lists struct {
	rdb        redis.UniversalClient
	partitions int
	log        *slog.Logger
}

// New returns the lists of a storage with that many partitions.
func New(rdb redis.UniversalClient, partitions int, log *slog.Logger) *Lists {
	return &Lists{rdb: rdb, partitions: partitions, log: log}
}

// The values of Filter.Status beside those of a syncStatus.
const (
	Edited  placements.Status = "EDITED"  // placements that have edits
	Waiting placements.Status = "WAITING" // placements that wait for their document or source, see placements.Reason
)

// Filter says which placements of a deployment are wanted; what is zero bounds nothing.
type Filter struct {
	Status   placements.Status // or Edited, or Waiting
	Reason   placements.Reason // what they wait for
	Host     placements.Host
	Document string
	Report   int64
	Owner    int64     // on whose behalf it is queried, also before its first write: see placements.Placement.Behalf
	Since    time.Time // placedAt
}

// lists names the lists that the wanted placements are in.
func (f Filter) lists() []string {
	var lists []string
	if f.Status != "" {
		lists = append(lists, statusList(f.Status))
	}
	if f.Reason != "" {
		lists = append(lists, "waiting:"+string(f.Reason))
	}
	if f.Host != "" {
		lists = append(lists, "host:"+string(f.Host))
	}
	if f.Document != "" {
		lists = append(lists, "document:"+f.Document)
	}
	if f.Report != 0 {
		lists = append(lists, "report:"+strconv.FormatInt(f.Report, 10))
	}
	if f.Owner != 0 {
		lists = append(lists, "owner:"+strconv.FormatInt(f.Owner, 10))
	}
	if len(lists) == 0 {
		return []string{"all"}
	}
	return lists
}

// statusList names the list of the placements, or spreadsheets with one, of that status.
func statusList(status placements.Status) string {
	switch status {
	case Edited:
		return "edited"
	case Waiting:
		return "waiting"
	}
	return "status:" + string(status)
}

// CheckPlace reports whether text can be the End of a Page.
func CheckPlace(text string) bool {
	at, report, slot := splitPlace(text)
	_, err := strconv.ParseUint(at, 10, 64)
	_, err2 := strconv.ParseUint(report, 10, 63)
	return err == nil && err2 == nil && len(at) == placeDigits && slot != ""
}

// splitPlace takes the place of a placement in lists apart.
func splitPlace(text string) (at, report, slot string) {
	at, rest, _ := strings.Cut(text, ":")
	report, slot, _ = strings.Cut(rest, ":")
	return at, report, slot
}

// PlacementPage is a page of a deployment's placements, the latest placed first. One that was looked for far enough ends early, and may be empty then.
type PlacementPage struct {
	Items       []record.DocumentPlacement // Member is the place
	HasNextPage bool
	End         string // place of the last placement that was looked at, for the next page; empty when there was none
}

// placementsScript reads a page of placements.
var placementsScript = redis.NewScript(redis.WalkLua() + lua("placements"))

// Placements returns the first placements that f wants behind a place, which is empty or the End of the page before, in one round trip. One
// that cannot be read is logged and left out.
func (l *Lists) Placements(ctx context.Context, d record.Deployment, f Filter, after string, first int) (p PlacementPage, err error) {
	k := keys.Of(d, l.partitions)
	var lists []string
	for _, list := range f.lists() {
		lists = append(lists, k.Placed(list))
	}
	// A place has whole milliseconds: what was placed within one began before it.
	since := milliseconds(f.Since.Add(time.Millisecond - time.Nanosecond))
	out, err := placementsScript.Run(ctx, l.rdb, lists, after, since, first, k.ReportPrefix()).Slice()
	if err != nil {
		return p, redis.Unavailable(err)
	}
	p.HasNextPage, p.End = out[0] == int64(1), redis.Text(out[1])
	rows, _ := out[2].([]any)
	definitions := map[string]*record.Definition{} // by report
	for _, row := range rows {
		text := redis.List(row)
		_, report, slot := splitPlace(text[0])
		if definitions[report] == nil {
			definitions[report] = l.definitionOf(ctx, k, report, text[3])
		}
		one := record.DocumentPlacement{Member: text[0], DeploymentID: d.ID, Definition: definitions[report]}
		if err := readPlaced(&one, report, slot, text[1], text[2]); err != nil {
			l.log.ErrorContext(ctx, "placement cannot be read", "tenant", k.Name, "deployment", k.ID, "report", report, "error", err)
			continue
		}
		p.Items = append(p.Items, one)
	}
	return p, nil
}

// definitionOf reads the definition of a placed report. One that cannot be read is logged and admits who may read all reports.
func (l *Lists) definitionOf(ctx context.Context, k keys.DeploymentKeys, report, text string) *record.Definition {
	d := new(record.Definition)
	if err := json.Unmarshal([]byte(text), d); err != nil {
		l.log.ErrorContext(ctx, "definition of a placed report cannot be read", "tenant", k.Name, "deployment", k.ID, "report", report, "error", err)
		return new(record.Definition)
	}
	return d
}

// readPlaced reads a placement and the last run on it.
func readPlaced(p *record.DocumentPlacement, report, slot, stored, run string) (err error) {
	if p.ReportID, err = strconv.ParseInt(report, 10, 64); err != nil {
		return err
	}
	if p.Placement, p.Claim, _, err = record.DecodePlacement(slot, stored); err != nil {
		return err
	}
	p.View, err = record.ViewPlacement(slot, stored, run)
	return err
}
