package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/list"
	"mooring/storage/record"
	"mooring/storage/storagetest"
	"mooring/web/access"
	"mooring/web/auth"
	"mooring/web/request"
)

// TestFault10APageEndsEarlyBeforeItIsTooLarge lists five reports and workbooks of 6 MB each.
func TestFault10APageEndsEarlyBeforeItIsTooLarge(t *testing.T) {
	t.Parallel()
	a := newAPI(t, storagetest.Open(t, "embedded"))
	meta := placements.Sent(json.RawMessage(`{"text":"` + strings.Repeat("x", 6_000_000) + `"}`))
	d, who := record.Deployment{Tenant: "acme", ID: 1}, record.Actor{ID: 1}
	for i := range 5 {
		name := placements.Sent(fmt.Sprint(i))
		if _, err := a.store.Reports().Create(t.Context(), d, record.ReportInput{Name: name, Meta: meta}, who); err != nil {
			t.Fatal(err)
		}
		if _, err := a.store.Workbooks().Create(t.Context(), d, record.WorkbookInput{Name: name, Meta: meta}, record.Actor{ID: who.ID}); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{"/reports", "/workbooks?sortBy=updatedAt&sortDirection=desc"} {
		t.Run(path, func(t *testing.T) {
			if pages, whole := a.pages(t, path); whole || pages != 1 {
				t.Errorf("%d pages, with meta %t, want one without", pages, whole)
			}
			join := "?"
			if strings.Contains(path, "?") {
				join = "&"
			}
			if pages, whole := a.pages(t, path+join+"include=meta"); !whole || pages != 3 {
				t.Errorf("%d pages, with meta %t, want 3 of two items and one", pages, whole)
			}
		})
	}
}

// pages walks a list of five assets and reports how many pages it has and whether every item has its meta.
func (a *api) pages(t *testing.T, path string) (pages int, whole bool) {
	t.Helper()
	seen := map[string]bool{}
	join := "?"
	if strings.Contains(path, "?") {
		join = "&"
	}
	whole = true
	for after := ""; ; {
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), "GET", "/api/v1/deployments/1"+path+join+"after="+after, nil)
		r.Header.Set("Authorization", "Bearer "+a.tokens["viewer"])
		a.sut.ServeHTTP(w, r)
		var p struct {
			Items []struct {
				Name string
				Meta json.RawMessage
			}
			PageInfo struct {
				HasNextPage bool
				EndCursor   string
			}
		}
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Code != 200 {
			t.Fatalf("%d, %v", w.Code, err)
		}
		if w.Body.Len() > 16<<20+1000 {
			t.Errorf("a page has %d bytes", w.Body.Len())
		}
		for _, item := range p.Items {
			whole = whole && item.Meta != nil
			seen[item.Name] = true
		}
		pages++
		if !p.PageInfo.HasNextPage {
			break
		}
		after = p.PageInfo.EndCursor
	}
	if len(seen) != 5 {
		t.Errorf("%d assets on %d pages, want 5", len(seen), pages)
	}
	return pages, whole
}

// listOf answers a request with a list.
func listOf(t *testing.T, items iter.Seq2[list.Item[*storage.Report], error]) *httptest.ResponseRecorder {
	t.Helper()
	a := newAPI(t, storagetest.Open(t, "embedded"))
	w := httptest.NewRecorder()
	served := a.server.frame.Handler([]request.Route{{Method: "GET", Path: "/", Operation: request.Do(func(_ context.Context, c *request.Call) (any, error) {
		c.Caller, c.At = &auth.Caller{Tenant: "acme"}, record.Deployment{Tenant: "acme", ID: 1}
		return request.List[*storage.Report]{First: 10, Items: items, Encode: func(item list.Item[*storage.Report]) ([]byte, error) {
			if item.Err != nil {
				return access.Unreadable(a.server.log, c, "REPORT", item.Asset.ID, item.Err)
			}
			return []byte(strings.Repeat(" ", 100_000) + `{"id":1}`), nil
		}}, nil
	})}})
	served.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/", nil))
	return w
}

func TestFault13AnUnreadableAssetIsShownByItsID(t *testing.T) {
	w := listOf(t, func(yield func(list.Item[*storage.Report], error) bool) {
		yield(list.Item[*storage.Report]{Asset: &storage.Report{ReportHead: record.ReportHead{ID: 7}}, Err: errors.New("a secret cause")}, nil)
	})
	want := `{"items":[{"id":7,"deploymentId":1,"type":"REPORT","error":"The stored record cannot be read`
	if got := w.Body.String(); !strings.HasPrefix(got, want) || strings.Contains(got, "secret") {
		t.Errorf("got %s, want %s…", got, want)
	}
}

func TestAListThatFails(t *testing.T) {
	failing := func(items int) iter.Seq2[list.Item[*storage.Report], error] {
		return func(yield func(list.Item[*storage.Report], error) bool) {
			for range items {
				yield(list.Item[*storage.Report]{Asset: &storage.Report{}}, nil)
			}
			yield(list.Item[*storage.Report]{}, storage.ErrUnavailable)
		}
	}
	t.Run("before anything was sent says so", func(t *testing.T) {
		if w := listOf(t, failing(0)); w.Code != http.StatusServiceUnavailable {
			t.Errorf("got %d", w.Code)
		}
	})
	t.Run("amid its items ends the connection", func(t *testing.T) {
		defer func() {
			if p := recover(); p != http.ErrAbortHandler {
				t.Errorf("the handler ended with %v: the client takes what it got for the whole", p)
			}
		}()
		listOf(t, failing(2))
	})
}
