package web

import (
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"slices"
	"time"

	"github.com/gin-gonic/gin"

	"mooring/placements"
	"mooring/storage/list"
	"mooring/storage/record"
	"mooring/web/overview"
)

// maxPageBytes ends a page early, after one item at least.
const maxPageBytes = 16 << 20

// pageInfo says where a page ended.
type pageInfo struct {
	HasNextPage bool    `json:"hasNextPage"`
	EndCursor   *string `json:"endCursor"` // null: the page is empty
}

// listQuery reads the parameters that lists have in common. shows are those of the names that include has.
func listQuery(c *gin.Context, names ...string) (q record.ListQuery, shows []string, err error) {
	if q.First, err = pageSize(c); err != nil {
		return q, nil, err
	}
	if q.FolderID, err = queryID(c, "folderId"); err != nil {
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
	if shows, err = included(c, names...); err != nil {
		return q, nil, err
	}
	q.Meta = slices.Contains(shows, includeMeta)
	q.ReportPublicIDs = slices.Contains(shows, includePublicIDs)
	q.After, q.Search = c.Query("after"), c.Query("search")
	return q, shows, nil
}

// pageSize reads the parameter first.
func pageSize(c *gin.Context) (int, error) { return overview.PageSize(c.Query("first")) }

// answerPage answers with a page, each item encoded by itself.
func answerPage[T any](c *gin.Context, p record.Page[T], item func(T) ([]byte, error)) error {
	page := struct {
		Items    []json.RawMessage `json:"items"`
		PageInfo pageInfo          `json:"pageInfo"`
	}{make([]json.RawMessage, len(p.Items)), pageInfo{HasNextPage: p.HasNextPage}}
	if len(p.Items) > 0 {
		page.PageInfo.EndCursor = &p.EndCursor
	}
	for i, it := range p.Items {
		text, err := item(it)
		if err != nil {
			return err
		}
		page.Items[i] = text
	}
	body, err := encode(page)
	if err != nil {
		return err
	}
	c.Data(http.StatusOK, jsonType, body)
	return nil
}

// answerList answers with a page of a list as it is read: in memory are what the storage reads at a time and the item being sent. The page
// ends early rather than growing beyond maxPageBytes.
func answerList[T any](
	s *Server, c *gin.Context, first int, items iter.Seq2[list.Item[T], error], encode func(list.Item[T]) ([]byte, error),
) error {
	w := listWriter{s: s, c: c, body: []byte(`{"items":[`)}
	var info pageInfo
	for item, err := range items {
		if err != nil {
			return w.abort(err)
		}
		if info.HasNextPage = w.items == first; info.HasNextPage {
			break
		}
		text, err := encode(item)
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

// unreadableAsset is the asset of a record that cannot be read, as a list shows it.
type unreadableAsset struct {
	ID           int64  `json:"id"`
	DeploymentID int64  `json:"deploymentId"`
	Type         string `json:"type"`
	Error        string `json:"error"`
}

// encodeUnreadable shows that an asset is there, and logs why it cannot be read.
func (s *Server) encodeUnreadable(c *gin.Context, kind string, id int64, err error) ([]byte, error) {
	r := current(c)
	s.log.Error("record cannot be read",
		"request", r.ID, "tenant", r.Caller.Tenant, "deployment", r.Deployment, "type", kind, "id", id, "error", err)
	const message = "The stored record cannot be read: restore it from a backup. The log of the service has the cause."
	return encode(unreadableAsset{id, r.Deployment, kind, message})
}

// listWriter sends a page in pieces. A page that is one piece is sent whole.
type listWriter struct {
	s     *Server
	c     *gin.Context
	out   *pacer // nil until something was sent
	body  []byte // not sent yet
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
		w.c.Header("Content-Type", jsonType)
		w.c.Status(http.StatusOK)
		w.out = w.s.pace(w.c.Writer)
	}
	_, err := w.out.Write(b)
	return err
}

// abort answers with an error. Once the status has been sent nothing but the end of the connection tells the client.
func (w *listWriter) abort(err error) error {
	if w.out == nil {
		return err
	}
	current(w.c).err = err
	panic(http.ErrAbortHandler)
}

func (w *listWriter) end(info pageInfo) error {
	text, err := encode(info)
	if err != nil {
		return w.abort(err)
	}
	w.body = append(append(append(w.body, `],"pageInfo":`...), text...), '}')
	if w.out == nil {
		w.c.Data(http.StatusOK, jsonType, w.body)
		return nil
	}
	_ = w.send(w.body) // the client may be gone
	return nil
}

// A client of a long answer must read at least floorRate bytes a second, averaged over floorSpan: one that does not is dropped, and what
// its answer holds is freed.
const (
	floorRate = 16 << 10
	floorSpan = 30 * time.Second
)

// pacedPiece is how much is written under one deadline.
const pacedPiece = 64 << 10

// pacer writes a long answer, whatever time it takes a client that reads fast enough.
type pacer struct {
	out  http.ResponseWriter
	span time.Duration // how far a client may fall behind
	left time.Duration // of it
}

// pace returns the writer of a long answer. From now on the client has the span to begin reading.
func (s *Server) pace(out http.ResponseWriter) *pacer {
	p := &pacer{out: out, span: s.limits.SlowRead, left: s.limits.SlowRead}
	_ = p.allow(p.left) // should this fail, so will writing
	return p
}

// Write implements io.Writer. The client gains time with what it reads, and loses it while it does not.
func (p *pacer) Write(b []byte) (written int, err error) {
	for len(b) > 0 && err == nil {
		piece := b[:min(len(b), pacedPiece)]
		may := p.left + time.Duration(len(piece))*time.Second/floorRate
		if err := p.allow(may); err != nil {
			return written, err
		}
		start := time.Now()
		var n int
		n, err = p.out.Write(piece)
		written += n
		p.left = min(p.span, may-time.Since(start))
		b = b[len(piece):]
	}
	return written, err
}

// allow ends the connection unless the client has read what was sent so far by then.
func (p *pacer) allow(within time.Duration) error {
	err := http.NewResponseController(p.out).SetWriteDeadline(time.Now().Add(within))
	if errors.Is(err, http.ErrNotSupported) {
		return nil // a recorder in a test has no deadline to set
	}
	return err
}
