package request

import (
	"io"
	"iter"
	"net/http"
	"slices"

	"mooring/placements"
	"mooring/storage/list"
	"mooring/storage/record"
)

// maxPageBytes ends a page early, after one item at least.
const maxPageBytes = 16 << 20

// ListQuery reads the parameters that lists have in common. shows are those of the names that include has.
func (c *Call) ListQuery(names ...string) (q record.ListQuery, shows []string, err error) {
	if q.First, err = c.First(); err != nil {
		return q, nil, err
	}
	if q.FolderID, err = c.QueryID("folderId"); err != nil {
		return q, nil, err
	}
	orders := []record.SortBy{record.ByID, record.ByName, record.ByCreatedAt, record.ByUpdatedAt}
	if q.SortBy = record.SortBy(c.Query("sortBy")); !slices.Contains(orders, q.SortBy) {
		return q, nil, placements.Errorf(placements.CodeParameter, "sortBy must be one of name, createdAt, updatedAt.")
	}
	switch c.Query("sortDirection") {
	case "", "asc":
	case "desc":
		q.Descending = true
	default:
		return q, nil, placements.Errorf(placements.CodeParameter, "sortDirection must be asc or desc.")
	}
	if shows, err = c.Included(names...); err != nil {
		return q, nil, err
	}
	q.Meta = slices.Contains(shows, IncludeMeta)
	q.ReportPublicIDs = slices.Contains(shows, IncludePublicIDs)
	q.After, q.Search = c.Query("after"), c.Query("search")
	return q, shows, nil
}

// List is a page of a list that is answered as it is read: in memory are what the storage reads at a time and the item being sent. The page
// ends early rather than growing beyond maxPageBytes.
type List[T any] struct {
	First  int
	Items  iter.Seq2[list.Item[T], error]
	Encode func(list.Item[T]) ([]byte, error)
}

// Send implements Answer.
func (l List[T]) Send(c *Call) error {
	w := listWriter{c: c, body: []byte(`{"items":[`)}
	var info PageInfo
	for item, err := range l.Items {
		if err != nil {
			return w.abort(err)
		}
		if info.HasNextPage = w.items == l.First; info.HasNextPage {
			break
		}
		text, err := l.Encode(item)
		if err != nil {
			return w.abort(err)
		}
		if info.HasNextPage = w.items > 0 && w.bytes+len(text) > maxPageBytes; info.HasNextPage {
			break
		}
		end, err := item.Cursor()
		if err != nil {
			return w.abort(err)
		}
		info.EndCursor = &end
		if err := w.add(text); err != nil {
			return nil //nolint:nilerr // the client is gone, and had its status
		}
	}
	return w.end(info)
}

// listWriter sends a page in pieces. A page that is one piece is sent whole.
type listWriter struct {
	c     *Call
	out   io.Writer // nil until something was sent
	body  []byte    // not sent yet
	items int
	bytes int // of the items
}

// add adds an item; its error says that the client is gone.
func (w *listWriter) add(text []byte) error {
	if w.items++; w.items > 1 {
		w.body = append(w.body, ',')
	}
	w.bytes += len(text)
	if len(w.body)+len(text) < pacedPiece {
		w.body = append(w.body, text...)
		return nil
	}
	if err := w.send(w.body); err != nil {
		return err
	}
	w.body = w.body[:0]
	return w.send(text)
}

func (w *listWriter) send(b []byte) error {
	if w.out == nil {
		w.c.Set("Content-Type", jsonType)
		w.c.Status(http.StatusOK)
		w.out = w.c.Pace()
	}
	_, err := w.out.Write(b)
	return err
}

// abort answers with an error. Once the status has been sent nothing but the end of the connection tells the client.
func (w *listWriter) abort(err error) error {
	if w.out == nil {
		return err
	}
	w.c.err = err
	panic(http.ErrAbortHandler)
}

func (w *listWriter) end(info PageInfo) error {
	text, err := record.EncodeBytes(info)
	if err != nil {
		return w.abort(err)
	}
	w.body = append(append(append(w.body, `],"pageInfo":`...), text...), '}')
	if w.out == nil {
		return JSON(w.body).Send(w.c)
	}
	_ = w.send(w.body) // the client may be gone
	return nil
}
