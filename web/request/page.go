package request

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strconv"

	"mooring/placements"
)

// PageAnswer is a page of a list as answers show it.
type PageAnswer[T any] struct {
	Items    []T      `json:"items"` // never nil
	PageInfo PageInfo `json:"pageInfo"`
}

// PageInfo says where a page ended.
type PageInfo struct {
	HasNextPage bool    `json:"hasNextPage"`
	EndCursor   *string `json:"endCursor"` // null: the list ends here, and the page is empty
}

// PageOf makes a page that ends at a place in its list.
func PageOf[T any](items []T, more bool, end string) PageAnswer[T] {
	return page(items, more, base64.RawURLEncoding.EncodeToString([]byte(end)))
}

// page makes a page with that cursor at its end.
func page[T any](items []T, more bool, end string) (p PageAnswer[T]) {
	p.Items = items
	if items == nil {
		p.Items = []T{}
	}
	p.PageInfo.HasNextPage = more
	if more || len(items) > 0 {
		p.PageInfo.EndCursor = &end
	}
	return p
}

// EncodedPage is the answer with a page whose items are encoded each by itself, and that ends at a cursor of the storage's.
func EncodedPage[T any](items []T, more bool, end string, encode func(T) ([]byte, error)) (JSON, error) {
	shown := make([]json.RawMessage, len(items))
	for i, one := range items {
		text, err := encode(one)
		if err != nil {
			return nil, err
		}
		shown[i] = text
	}
	return Encoded(page(shown, more, end))
}

// Listed is a page of a list in the storage.
type Listed[T any] struct {
	Items  []T
	Places []string // of the items
	More   bool     // behind End
	End    string
}

// HiddenPages is how many pages of the storage are looked through for a page of what the caller may see.
const HiddenPages = 10

// Visible returns the first items of a list that the caller sees, all of them but what is deleted meanwhile where all says so. Where a page ends is
// told by an item that they see: what is hidden could be counted otherwise, one page after the other. Only a page for which HiddenPages did not
// suffice ends elsewhere.
func Visible[T any](
	all bool, first int, after string, read func(after string, first int) (Listed[T], error), sees func(T) bool,
) (p PageAnswer[T], err error) {
	if all {
		l, err := read(after, first)
		hidden := func(one T) bool { return !sees(one) }
		return PageOf(slices.DeleteFunc(l.Items, hidden), l.More, l.End), err
	}
	var items []T
	end := ""
	for range HiddenPages {
		l, err := read(after, MaxPage)
		if err != nil {
			return p, err
		}
		for i, one := range l.Items {
			if !sees(one) {
				continue
			}
			if len(items) == first {
				return PageOf(items, true, end), nil
			}
			items, end = append(items, one), l.Places[i]
		}
		if after = l.End; !l.More {
			return PageOf(items, false, end), nil
		}
	}
	return PageOf(items, true, after), nil
}

// The size of a page (decisions.md §1).
const (
	DefaultPage = 100
	MaxPage     = 500
)

// First reads the size of the page that is wanted; not sent, it is DefaultPage.
func (c *Call) First() (int, error) {
	n, err := strconv.Atoi(cmp.Or(c.Query("first"), strconv.Itoa(DefaultPage)))
	if err != nil || n < 1 || n > MaxPage {
		return 0, placements.Errorf(placements.CodeParameter, "first must be an integer from 1 to %d.", MaxPage)
	}
	return n, nil
}

// After reads the place behind which the page begins; "" is the beginning. valid reports whether a text can be a place of the list.
func (c *Call) After(valid func(place string) bool) (string, error) {
	place, err := base64.RawURLEncoding.DecodeString(c.Query("after"))
	if err != nil || len(place) > 0 && !valid(string(place)) {
		return "", ForeignCursor()
	}
	return string(place), nil
}

// ForeignCursor is the refusal of a cursor that is none of the list.
func ForeignCursor() *placements.Error {
	return placements.Errorf(placements.CodeCursor, "after is not a cursor of this list: send the endCursor of the page before.")
}
