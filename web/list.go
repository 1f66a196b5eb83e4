package web

import (
	"cmp"
	"encoding/base64"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
)

// The size of a page (decisions.md §1).
const (
	defaultPage = 100
	maxPage     = 500

	// maxPageBytes ends a page early, after one item at least.
	maxPageBytes = 16 << 20
)

// pageInfo says where a page ended.
type pageInfo struct {
	HasNextPage bool    `json:"hasNextPage"`
	EndCursor   *string `json:"endCursor"` // null: the page is empty
}

// listReports answers with the reports that the caller may read (decisions.md §4).
func (s *Server) listReports(c *gin.Context) error {
	q, shows, err := listQuery(c, includeMeta, includeChecksums)
	if err != nil {
		return err
	}
	if q.WorkbookID, err = queryID(c, "workbookId"); err != nil {
		return err
	}
	if q.PublicID = c.Query("publicId"); q.PublicID != "" && !publicIDPattern.MatchString(q.PublicID) {
		return placements.Errorf(placements.CodeParameter, "publicId must be 12 characters, each 0-9, A-Z or a-z.")
	}
	q.ExternalWorkbookID = c.Query("externalWorkbookId")
	caller := current(c).Caller
	items := s.store.Reports(c.Request.Context(), current(c).deployment(), q, func(r *storage.Report) bool {
		return caller.level(&r.Definition) >= mayRead
	})
	return answerList(s, c, q.First, items, func(item storage.Listed[*storage.Report]) ([]byte, error) {
		if r := item.Asset; item.Err == nil {
			v := r.View()
			if !slices.Contains(shows, includeChecksums) {
				for i, p := range v.Placements {
					v.Placements[i] = p.WithoutChecksum()
				}
			}
			return appendReport(nil, v, caller.level(&r.Definition))
		}
		return s.encodeUnreadable(c, item.Asset.Type, item.Asset.ID, item.Err)
	})
}

// listWorkbooks answers with the workbooks that the caller may read.
func (s *Server) listWorkbooks(c *gin.Context) error {
	q, _, err := listQuery(c, includeMeta)
	if err != nil {
		return err
	}
	if sent := c.Query("slug"); sent != "" {
		var wrong string
		if q.Slug, wrong = record.NormalSlug(sent); wrong != "" {
			return placements.Errorf(placements.CodeParameter, "slug: %s", wrong)
		}
	}
	caller := current(c).Caller
	items := s.store.Workbooks(c.Request.Context(), current(c).deployment(), q, func(wb *record.Workbook) bool {
		return caller.onWorkbook(wb.CreatedBy) >= mayRead
	})
	return answerList(s, c, q.First, items, func(item storage.Listed[*record.Workbook]) ([]byte, error) {
		switch wb := item.Asset; {
		case item.Err != nil:
			return s.encodeUnreadable(c, wb.Type, wb.ID, item.Err)
		case q.Meta:
			return encode(wb)
		default:
			return encode(bareWorkbook{Workbook: wb})
		}
	})
}

// bareWorkbook is a workbook without what may be large.
type bareWorkbook struct {
	*record.Workbook
	Meta               *struct{} `json:"meta,omitempty"`
	DashboardDraft     *struct{} `json:"dashboardDraft,omitempty"`
	DashboardPublished *struct{} `json:"dashboardPublished,omitempty"`
}

// listQuery reads the parameters that lists have in common. shows are those of the names that include has.
func listQuery(c *gin.Context, names ...string) (q storage.ListQuery, shows []string, err error) {
	if q.First, err = pageSize(c); err != nil {
		return q, nil, err
	}
	if q.FolderID, err = queryID(c, "folderId"); err != nil {
		return q, nil, err
	}
	orders := []storage.SortBy{storage.ByID, storage.ByName, storage.ByCreatedAt, storage.ByUpdatedAt}
	if q.SortBy = storage.SortBy(c.Query("sortBy")); !slices.Contains(orders, q.SortBy) {
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
	q.After, q.Search = c.Query("after"), c.Query("search")
	return q, shows, nil
}

// pageSize reads the parameter first.
func pageSize(c *gin.Context) (int, error) {
	sent := c.Query("first")
	if sent == "" {
		return defaultPage, nil
	}
	n, err := strconv.Atoi(sent)
	if err != nil || n < 1 || n > maxPage {
		return 0, placements.Errorf(placements.CodeParameter, "first must be an integer from 1 to %d.", maxPage)
	}
	return n, nil
}

// queryID reads a parameter that is the id of an asset; nil when it was not sent.
func queryID(c *gin.Context, name string) (*int64, error) {
	sent := c.Query(name)
	if sent == "" {
		return nil, nil
	}
	id, ok := parseID(sent)
	if !ok {
		return nil, placements.Errorf(placements.CodeParameter, "%s must be the id of an asset, an integer from 1 on.", name)
	}
	return &id, nil
}

// queryFlag reads a parameter that is true or false; false when it was not sent.
func queryFlag(c *gin.Context, name string) (bool, error) {
	switch c.Query(name) {
	case "", "false":
		return false, nil
	case "true":
		return true, nil
	}
	return false, placements.Errorf(placements.CodeParameter, "%s must be true or false.", name)
}

// answerPage answers with a page, each item encoded by itself.
func answerPage[T any](c *gin.Context, p storage.Page[T], item func(T) ([]byte, error)) error {
	info := pageInfo{HasNextPage: p.HasNextPage}
	if len(p.Items) > 0 {
		info.EndCursor = &p.EndCursor
	}
	body := []byte(`{"items":[`)
	for i, it := range p.Items {
		text, err := item(it)
		if err != nil {
			return err
		}
		if i > 0 {
			body = append(body, ',')
		}
		body = append(body, text...)
	}
	text, err := encode(info)
	if err != nil {
		return err
	}
	body = append(append(append(body, `],"pageInfo":`...), text...), '}')
	c.Data(http.StatusOK, jsonType, body)
	return nil
}

// answerRuns answers with a page of a history, the latest fire time first. The cursor is the place of the last run shown, so that new runs
// shift no page.
func answerRuns(c *gin.Context, runs []*record.Run) error {
	first, err := pageSize(c)
	if err != nil {
		return err
	}
	after, err := runCursor(c.Query("after"))
	if err != nil {
		return err
	}
	slices.SortFunc(runs, func(a, b *record.Run) int { return strings.Compare(placeOf(b), placeOf(a)) })
	runs = slices.DeleteFunc(runs, func(run *record.Run) bool { return after != "" && placeOf(run) >= after })
	page := runs[:min(first, len(runs))]
	info := pageInfo{HasNextPage: len(page) < len(runs)}
	if len(page) > 0 {
		end := base64.RawURLEncoding.EncodeToString([]byte(placeOf(page[len(page)-1])))
		info.EndCursor = &end
	}
	c.JSON(http.StatusOK, gin.H{"items": page, "pageInfo": info})
	return nil
}

// placeOf is where a run stands in a history: fire times are texts of one length.
func placeOf(run *record.Run) string { return run.FireTime + " " + run.ID }

// runCursor reads a cursor of answerRuns; empty: from the start.
func runCursor(sent string) (place string, err error) {
	text, err := base64.RawURLEncoding.DecodeString(sent)
	if at, _, ok := strings.Cut(string(text), " "); err == nil && ok {
		_, err = time.Parse(time.RFC3339, at)
	} else if sent != "" {
		err = cmp.Or(err, errors.New("no place of a run"))
	}
	if err != nil {
		return "", placements.Errorf(placements.CodeCursor,
			"after is not a cursor of this list: send the endCursor of the page before.").Because(err)
	}
	return string(text), nil
}
