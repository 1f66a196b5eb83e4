package storage_test

import (
	"context"
	"encoding/json"
	"net"
	"strconv"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/list"
	"mooring/storage/record"
	"mooring/storage/storagetest"
)

// largestReply is a redis hook that notes how many bytes of hashes one round trip has loaded at most.
type largestReply struct{ bytes int }

func (h *largestReply) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) { return next(ctx, network, addr) }
}

func (h *largestReply) ProcessHook(next redis.ProcessHook) redis.ProcessHook { return next }

func (h *largestReply) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		err := next(ctx, cmds)
		bytes := 0
		for _, cmd := range cmds {
			if reply, ok := cmd.(*redis.MapStringStringCmd); ok {
				for _, v := range reply.Val() {
					bytes += len(v)
				}
			}
		}
		h.bytes = max(h.bytes, bytes)
		return err
	}
}

func largeMeta(bytes int) placements.Optional[json.RawMessage] {
	return placements.Sent(json.RawMessage(`{"text":"` + strings.Repeat("x", bytes) + `"}`))
}

// TestFault10AListLoadsFewLargeRecordsAtATime lists 12 assets of 3 MB each.
func TestFault10AListLoadsFewLargeRecordsAtATime(t *testing.T) {
	const each, most = 3_000_000, 9_000_000 // what listBytes comes to, rounded up to whole records
	s := storagetest.Open(t, "embedded")
	for i := range 12 {
		in := named("report "+strconv.Itoa(i), "select 1")
		in.Meta = largeMeta(each)
		create(t, s, shop, in)
		upsertBook(t, s, "book-"+strconv.Itoa(i), record.WorkbookInput{Meta: largeMeta(each)})
	}
	for name, q := range map[string]record.ListQuery{
		"in the order of creation": {Meta: true},
		"sorted":                   {Meta: true, SortBy: record.ByName},
		"without meta":             {},
	} {
		t.Run(name, func(t *testing.T) {
			var h largestReply
			s.Client().AddHook(&h)
			reports, err := pageOf(100, s.Reports().List(t.Context(), shop, q, everyReport))
			if err != nil || len(reports.Items) != 12 {
				t.Fatalf("%d reports, %v", len(reports.Items), err)
			}
			for _, r := range reports.Items {
				if text, err := r.DefinitionJSON(); err != nil || strings.Contains(text, `"meta"`) != q.Meta {
					t.Errorf("report %d shows %d bytes (%v), with meta wanted: %t", r.ID, len(text), err, q.Meta)
				}
			}
			books, err := pageOf(100, s.Workbooks().List(t.Context(), shop, q, func(*record.Workbook) bool { return true }))
			if err != nil || len(books.Items) != 12 || (books.Items[0].Meta != nil) != q.Meta {
				t.Errorf("%d workbooks, %v", len(books.Items), err)
			}
			if h.bytes > most {
				t.Errorf("one round trip loaded %d bytes, want %d at most", h.bytes, most)
			}
		})
	}
}

// TestFault13OneUnreadableRecordDoesNotFailAList breaks records in every way a store can.
func TestFault13OneUnreadableRecordDoesNotFailAList(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		var reports, books []int64
		for i := range 3 {
			reports = append(reports, create(t, s, shop, named("report "+strconv.Itoa(i), "")).ID)
			books = append(books, upsertBook(t, s, "book-"+strconv.Itoa(i), book("b", `{}`)).ID)
		}
		s.Break(t, shop, reports[0], books[0])
		everyBook := func(*record.Workbook) bool { return true }
		for name, q := range map[string]record.ListQuery{
			"in the order of creation": {}, "sorted": {SortBy: record.ByName}, "with meta": {Meta: true},
		} {
			t.Run(name, func(t *testing.T) {
				wantOneUnreadable(t, s.Reports().List(t.Context(), shop, q, everyReport), func(r *storage.Report) int64 { return r.ID }, reports)
				wantOneUnreadable(t, s.Workbooks().List(t.Context(), shop, q, everyBook), func(w *record.Workbook) int64 { return w.ID }, books)
			})
		}
		t.Run("one who may not read every asset is not told", func(t *testing.T) {
			mine := func(r *storage.Report) bool { return r.CreatedBy == ada.ID }
			page, err := pageOf(10, s.Reports().List(t.Context(), shop, record.ListQuery{}, mine))
			if err != nil || len(page.Items) != 2 {
				t.Errorf("%d reports, %v, want the two that can be read", len(page.Items), err)
			}
		})
		t.Run("nor does a list that is narrowed", func(t *testing.T) {
			page, err := pageOf(10, s.Reports().List(t.Context(), shop, record.ListQuery{Search: "report"}, everyReport))
			if err != nil || len(page.Items) != 2 {
				t.Errorf("%d reports, %v, want the two that are found", len(page.Items), err)
			}
		})
	})
}

// wantOneUnreadable wants all of those ids listed, the first one with an error.
func wantOneUnreadable[T any](t *testing.T, items func(func(list.Item[T], error) bool), id func(T) int64, want []int64) {
	t.Helper()
	var got []int64
	for item, err := range items {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, id(item.Asset))
		if broken := id(item.Asset) == want[0]; (item.Err != nil) != broken {
			t.Errorf("asset %d: error %v, broken %t", id(item.Asset), item.Err, broken)
		}
	}
	if len(got) != len(want) {
		t.Errorf("listed %v, want %v", got, want)
	}
}
