package record

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"iter"
	"slices"
	"strings"

	"mooring/placements"
)

// SortBy is the order of a list; the zero value is the order of creation.
type SortBy string

// The orders of lists (decisions.md §4).
const (
	ByID        SortBy = ""
	ByName      SortBy = "name" // upper and lower case alike
	ByCreatedAt SortBy = "createdAt"
	ByUpdatedAt SortBy = "updatedAt"
)

// Page is one page of a list.
type Page[T any] struct {
	Items       []T
	HasNextPage bool
	EndCursor   string // asks for the next page, as ListQuery.After; empty when Items is
}

// ListQuery says which part of a list is wanted.
type ListQuery struct {
	First              int    // at least 1; schedules only
	After              string // EndCursor of the page before; empty: from the start
	SortBy             SortBy
	Descending         bool
	WorkbookID         *int64 // reports only
	FolderID           *int64
	PublicID           string // reports only: stored or synthesized
	Slug               string // workbooks only, in its normal form
	ExternalWorkbookID string // reports only: placed in that spreadsheet
	Meta               bool   // with meta and dashboards, of reports and workbooks
	ReportPublicIDs    bool   // workbooks only: charts name reports by publicId as well
	Schedules          ScheduleFilter
	Search             string // part of name, title, description or slug, upper and lower case alike
}

// ScheduleFilter says which schedules are wanted; what is zero bounds nothing.
type ScheduleFilter struct {
	Paused placements.Optional[bool]
	Owner  int64 // on whose behalf their runs are asked for
	Report int64
	Key    string
}

// Admits reports whether c is wanted.
func (f ScheduleFilter) Admits(c *Schedule) bool {
	return (f.Paused.Value == nil || *f.Paused.Value == c.Paused) && (f.Owner == 0 || c.Owner.Is(f.Owner)) &&
		(f.Report == 0 || c.Target.ReportID == f.Report) && (f.Key == "" || c.Key == f.Key)
}

// Cursor is where a page ended: the sort key and id of its last item, and the order, since another order has other keys.
type Cursor struct {
	SortBy     SortBy `json:"s,omitempty"`
	Descending bool   `json:"d,omitempty"`
	Key        string `json:"k,omitempty"`
	ID         int64  `json:"i"`
}

// Compare orders cursors of one list.
func (c Cursor) Compare(o Cursor) int {
	order := cmp.Or(cmp.Compare(c.Key, o.Key), cmp.Compare(c.ID, o.ID))
	if c.Descending {
		return -order
	}
	return order
}

// Encode returns c as ListQuery.After and Page.EndCursor have it.
func (c Cursor) Encode() (string, error) {
	text, err := json.Marshal(c)
	return base64.RawURLEncoding.EncodeToString(text), err
}

// Start reads q.After; nil when the list is wanted from its start.
func (q ListQuery) Start() (*Cursor, error) {
	if q.After == "" {
		return nil, nil
	}
	var c Cursor
	text, err := base64.RawURLEncoding.DecodeString(q.After)
	if err == nil {
		err = json.Unmarshal(text, &c)
	}
	if err != nil || c.SortBy != q.SortBy || c.Descending != q.Descending {
		return nil, placements.Errorf(placements.CodeCursor,
			"The cursor is not one of this list: send the endCursor of the page before with the same sorting.")
	}
	return &c, nil
}

// Place is the place of an item in the order of q.
func (q ListQuery) Place(id int64, name, createdAt, updatedAt string) Cursor {
	c := Cursor{SortBy: q.SortBy, Descending: q.Descending, ID: id}
	switch q.SortBy {
	case ByName:
		c.Key = strings.ToLower(name)
	case ByCreatedAt:
		c.Key = createdAt
	case ByUpdatedAt:
		c.Key = updatedAt
	}
	return c
}

// FirstID is below every id that can be on the page.
func (q ListQuery) FirstID() int64 {
	after, err := q.Start()
	if err != nil || after == nil || q.SortBy != ByID || q.Descending {
		return 0
	}
	return after.ID
}

// MatchesReport reports whether a report with that publicId and that definition is one that q asks for, wherever it is placed.
func (q ListQuery) MatchesReport(publicID string, d *Definition) bool {
	return (q.PublicID == "" || q.PublicID == publicID) && same(q.WorkbookID, d.WorkbookID) && same(q.FolderID, d.FolderID) &&
		q.found(d.Name, d.Title, d.Description)
}

// MatchesWorkbook reports whether w is one that q asks for.
func (q ListQuery) MatchesWorkbook(w *Workbook) bool {
	return (q.Slug == "" || q.Slug == w.Slug) && same(q.FolderID, w.FolderID) && q.found(w.Name, w.Slug)
}

// same reports whether an id is the one wanted, if one is wanted.
func same(want, got *int64) bool { return want == nil || got != nil && *got == *want }

// found reports whether one of the texts contains what is searched for.
func (q ListQuery) found(texts ...string) bool {
	if q.Search == "" {
		return true
	}
	search := strings.ToLower(q.Search)
	for _, text := range texts {
		if strings.Contains(strings.ToLower(text), search) {
			return true
		}
	}
	return false
}

// CutPage cuts the page that q wants out of the items, which come by ascending id. at returns an item's place in the order of q.
func CutPage[T any](q ListQuery, items iter.Seq2[T, error], at func(T) Cursor) (p Page[T], err error) {
	after, err := q.Start()
	if err != nil {
		return p, err
	}
	for item, err := range items {
		if err != nil {
			return Page[T]{}, err
		}
		if after != nil && at(item).Compare(*after) <= 0 {
			continue
		}
		p.Items = append(p.Items, item)
		if len(p.Items) > q.First && q.SortBy == ByID && !q.Descending {
			break
		}
	}
	slices.SortFunc(p.Items, func(a, b T) int { return at(a).Compare(at(b)) })
	if p.HasNextPage = len(p.Items) > q.First; p.HasNextPage {
		p.Items = slices.Clip(p.Items[:q.First])
	}
	if len(p.Items) > 0 {
		p.EndCursor, err = at(p.Items[len(p.Items)-1]).Encode()
	}
	return p, err
}
