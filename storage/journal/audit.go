package journal

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"time"

	"mooring/placements"
	"mooring/storage/keys"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// retention is how long an entry is kept.
const retention = 400 * 24 * time.Hour

// luaFiles has what transactions call.
//
//go:embed lua/*.lua
var luaFiles embed.FS

// Functions has what Note, Tally and Archive call.
func Functions() redis.Functions {
	return redis.Functions{Names: []string{"note", "tally", "archive"}, Lua: redis.NowLua + redis.JoinLua(luaFiles, "journal")}
}

// Journal reads what was written. It is safe for concurrent use.
type Journal struct {
	rdb        redis.UniversalClient
	partitions int
	now        func() time.Time
}

// New returns the journal of a storage with that many partitions.
func New(rdb redis.UniversalClient, partitions int, now func() time.Time) *Journal {
	return &Journal{rdb, partitions, now}
}

// Filter says which entries are wanted; a zero field wants any.
type Filter struct {
	Since   time.Time
	User    int64
	Kind    Subject
	AssetID string // of that kind
}

// all reports whether f wants any entry since its time.
func (f *Filter) all() bool { return f.User == 0 && f.Kind == "" }

func (f *Filter) wants(e *Entry) bool {
	return (f.User == 0 || e.User != nil && e.User.ID == f.User) &&
		(f.Kind == "" || e.Asset.Kind == f.Kind && e.Asset.ID == f.AssetID)
}

// EntryPage is a page of entries. With a filter it may be short, even empty, and have a next one.
type EntryPage struct {
	Entries     []Entry
	HasNextPage bool
	End         string // the place of the last entry that was looked at; empty: none was
}

// walked is how many entries are looked at for a page with a filter.
const walked = 1000

// Entries returns the first entries that f wants behind a place, which is empty or the End of the page before, in one round trip; the
// latest first. Those of a tenant as a whole are of its deployment 0.
func (j *Journal) Entries(ctx context.Context, d record.Deployment, f Filter, after string, first int) (p EntryPage, err error) {
	most := int64(first + 1)
	if !f.all() {
		most = walked + 1
	}
	list, err := j.rdb.XRevRangeN(ctx, j.audit(d), before(after), j.earliest(f.Since), most).Result()
	if err != nil {
		return p, redis.Unavailable(err)
	}
	for i, message := range list {
		if len(p.Entries) == first || i == int(most)-1 {
			p.HasNextPage = true
			return p, nil
		}
		e, err := readEntry(message)
		if err != nil {
			return EntryPage{}, err
		}
		if p.End = message.ID; f.wants(&e) {
			p.Entries = append(p.Entries, e)
		}
	}
	return p, nil
}

func (j *Journal) audit(d record.Deployment) string {
	if d.ID == 0 {
		return keys.OfTenant(d.Tenant, j.partitions).Audit()
	}
	return keys.Of(d, j.partitions).Audit()
}

// before is the end of the range of a stream before a place.
func before(place string) string {
	if place == "" {
		return "+"
	}
	return "(" + place
}

// earliest is the begin of the range of a stream since then, without what is there only because streams are trimmed in pieces.
func (j *Journal) earliest(since time.Time) string {
	if kept := j.now().Add(-retention); since.Before(kept) {
		since = kept
	}
	return strconv.FormatInt(since.UnixMilli(), 10)
}

var place = regexp.MustCompile(`^[0-9]{1,15}-[0-9]{1,15}$`)

// IsPlace reports whether a text can be the place of an entry.
func IsPlace(text string) bool { return place.MatchString(text) }

func readEntry(message redis.XMessage) (e Entry, err error) {
	text, _ := message.Values["entry"].(string)
	if err := json.Unmarshal([]byte(text), &e); err != nil {
		return e, fmt.Errorf("audit entry %s: %w", message.ID, err)
	}
	var ms int64
	if _, err := fmt.Sscanf(message.ID, "%d-", &ms); err != nil {
		return e, fmt.Errorf("audit entry %s: %w", message.ID, err)
	}
	e.ID, e.At = message.ID, placements.Time(time.UnixMilli(ms))
	return e, nil
}
