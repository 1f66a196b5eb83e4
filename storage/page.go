package storage

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"iter"
	"slices"

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
	EndCursor   string // gives the next page as ListQuery.After; empty when Items is
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
	Search             string // part of name, title, description or slug, upper and lower case alike
}

// cursor is where a page ended: the sort key and id of its last item, and the order, since another order has other keys.
type cursor struct {
	SortBy     SortBy `json:"s,omitempty"`
	Descending bool   `json:"d,omitempty"`
	Key        string `json:"k,omitempty"`
	ID         int64  `json:"i"`
}

func (c cursor) compare(o cursor) int {
	order := cmp.Or(cmp.Compare(c.Key, o.Key), cmp.Compare(c.ID, o.ID))
	if c.Descending {
		return -order
	}
	return order
}

func (c cursor) encode() (string, error) {
	text, err := json.Marshal(c)
	return base64.RawURLEncoding.EncodeToString(text), err
}

// start reads q.After; nil when the list is wanted from its start.
func (q ListQuery) start() (*cursor, error) {
	if q.After == "" {
		return nil, nil
	}
	var c cursor
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

// page cuts the page that q wants out of the items, which come by ascending id. at gives an item's place in the order of q.
func page[T any](q ListQuery, items iter.Seq2[T, error], at func(T) cursor) (p Page[T], err error) {
	after, err := q.start()
	if err != nil {
		return p, err
	}
	for item, err := range items {
		if err != nil {
			return Page[T]{}, err
		}
		if after != nil && at(item).compare(*after) <= 0 {
			continue
		}
		p.Items = append(p.Items, item)
		if len(p.Items) > q.First && q.SortBy == ByID && !q.Descending {
			break
		}
	}
	slices.SortFunc(p.Items, func(a, b T) int { return at(a).compare(at(b)) })
	if p.HasNextPage = len(p.Items) > q.First; p.HasNextPage {
		p.Items = slices.Clip(p.Items[:q.First])
	}
	if len(p.Items) > 0 {
		p.EndCursor, err = at(p.Items[len(p.Items)-1]).encode()
	}
	return p, err
}
