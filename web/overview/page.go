package overview

import (
	"cmp"
	"encoding/base64"
	"slices"
	"strconv"

	"mooring/placements"
	"mooring/storage/record"
)

// Page is a page of a list as answers show it.
type Page[T any] struct {
	Items    []T `json:"items"` // never nil
	PageInfo struct {
		HasNextPage bool    `json:"hasNextPage"`
		EndCursor   *string `json:"endCursor"` // null: the list ends here, and the page is empty
	} `json:"pageInfo"`
}

// pageOf makes a page that ends at a place in its list.
func pageOf[T any](items []T, more bool, end string) (p Page[T]) {
	p.Items = items
	if items == nil {
		p.Items = []T{}
	}
	p.PageInfo.HasNextPage = more
	if more || len(items) > 0 {
		text := base64.RawURLEncoding.EncodeToString([]byte(end))
		p.PageInfo.EndCursor = &text
	}
	return p
}

// listed is a page of a list in the storage.
type listed[T any] struct {
	items  []T
	places []string // of the items
	more   bool     // behind end
	end    string
}

// hiddenPages is how many pages of the storage are looked through for a page of what the caller may see.
const hiddenPages = 10

// visible returns the first items of a list that the caller sees. Where a page ends is told by an item that they see: what is hidden could be
// counted otherwise, one page after the other. Only a page for which hiddenPages did not suffice ends elsewhere.
func visible[T any](
	c *Call, first int, after string, read func(after string, first int) (listed[T], error), sees func(T) bool,
) (p Page[T], err error) {
	if c.Caller.OnReport(0, nil) >= record.MayRead { // nothing is hidden but what is deleted meanwhile
		l, err := read(after, first)
		hidden := func(one T) bool { return !sees(one) }
		return pageOf(slices.DeleteFunc(l.items, hidden), l.more, l.end), err
	}
	var items []T
	end := ""
	for range hiddenPages {
		l, err := read(after, MaxPage)
		if err != nil {
			return p, err
		}
		for i, one := range l.items {
			if !sees(one) {
				continue
			}
			if len(items) == first {
				return pageOf(items, true, end), nil
			}
			items, end = append(items, one), l.places[i]
		}
		if after = l.end; !l.more {
			return pageOf(items, false, end), nil
		}
	}
	return pageOf(items, true, after), nil
}

// The size of a page (decisions.md §1).
const (
	DefaultPage = 100
	MaxPage     = 500
)

// PageSize reads the parameter first, the size of the page that is wanted; empty: DefaultPage.
func PageSize(first string) (int, error) {
	n, err := strconv.Atoi(cmp.Or(first, strconv.Itoa(DefaultPage)))
	if err != nil || n < 1 || n > MaxPage {
		return 0, placements.Errorf(placements.CodeParameter, "first must be an integer from 1 to %d.", MaxPage)
	}
	return n, nil
}

// first reads the size of the page that is wanted.
func (c *Call) first() (int, error) { return PageSize(c.Query.Get("first")) }

// after reads the place behind which the page begins; "" is the beginning. valid reports whether a text can be a place of the list.
func (c *Call) after(valid func(place string) bool) (string, error) {
	place, err := base64.RawURLEncoding.DecodeString(c.Query.Get("after"))
	if err != nil || len(place) > 0 && !valid(string(place)) {
		return "", foreignCursor()
	}
	return string(place), nil
}

func foreignCursor() error {
	return placements.Errorf(placements.CodeCursor, "after is not a cursor of this list: send the endCursor of the page before.")
}
