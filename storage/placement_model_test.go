package storage_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/storagetest"
)

// identity is what the naive model of a report knows of a placement.
type identity struct{ ID, Document, SheetID, Sheet, Anchor string }

// naive is a report's placements as a list that is searched from end to end, each rule written out in the plainest way.
type naive []identity

// connect takes a placement of another report that stands in the same spreadsheet, or none.
func (m *naive) connect(c placements.Connection, theirs identity, newID func() string) (ok bool) {
	there := m.standing(c)
	known := slices.IndexFunc(*m, func(p identity) bool { return c.PlacementID != "" && p.ID == c.PlacementID })
	if known >= 0 && there >= 0 && known != there {
		return false
	}
	known = max(known, there)
	if c.PlacementID != "" && theirs.ID == c.PlacementID && theirs.Document == c.ExternalWorkbookID {
		keeps := known >= 0 && (*m)[known].ID != "" && ((*m)[known].ID != c.PlacementID || (*m)[known].Document == c.ExternalWorkbookID)
		if !keeps {
			return false
		}
	}
	if known < 0 {
		*m = append(*m, identity{c.PlacementID, c.ExternalWorkbookID, c.SheetID, c.SheetName, c.AnchorCell})
		if c.PlacementID == "" {
			(*m)[len(*m)-1].ID = newID()
		}
		return true
	}
	p := &(*m)[known]
	if p.ID == "" {
		if p.ID = c.PlacementID; p.ID == "" {
			p.ID = newID()
		}
	}
	if c.SheetID != "" || p.Document != c.ExternalWorkbookID || !strings.EqualFold(p.Sheet, c.SheetName) {
		p.SheetID = c.SheetID
	}
	p.Document, p.Sheet, p.Anchor = c.ExternalWorkbookID, c.SheetName, c.AnchorCell
	return true
}

// standing is the index of what stands where c says: by the sheet's name, else by its id if that names one only.
func (m *naive) standing(c placements.Connection) int {
	var byName, bySheetID []int
	for i, p := range *m {
		switch {
		case p.Document != c.ExternalWorkbookID || p.Anchor != c.AnchorCell:
		case strings.EqualFold(p.Sheet, c.SheetName):
			byName = append(byName, i)
		case c.SheetID != "" && p.SheetID == c.SheetID:
			bySheetID = append(bySheetID, i)
		}
	}
	if len(byName) == 1 {
		return byName[0]
	}
	if len(bySheetID) == 1 {
		return bySheetID[0]
	}
	return -1
}

// importOne adds a record from before ids existed, unless something stands there.
func (m *naive) importOne(p identity) (ok bool) {
	if slices.ContainsFunc(*m, func(q identity) bool {
		return q.Document == p.Document && strings.EqualFold(q.Sheet, p.Sheet) && q.Anchor == p.Anchor
	}) {
		return false
	}
	*m = append(*m, p)
	return true
}

// identify gives ids to what has none in a spreadsheet, or anywhere if it is "".
func (m *naive) identify(document string, newID func(p identity) string) {
	for i, p := range *m {
		if p.ID == "" && (document == "" || p.Document == document) {
			(*m)[i].ID = newID(p)
		}
	}
}

// disconnect takes a target that has either an id, or a spreadsheet, sheet and anchor, or a location.
func (m *naive) disconnect(t placements.Target) {
	sheet, anchor, located := strings.Cut(t.ResultLocation, "!")
	if !located {
		sheet, anchor = t.SheetName, t.AnchorCell
	}
	var hits []int
	for i, p := range *m {
		if t.PlacementID != "" && p.ID == t.PlacementID || t.PlacementID == "" && (located || anchor != "") &&
			strings.EqualFold(p.Sheet, sheet) && p.Anchor == anchor && (located && t.ExternalWorkbookID == "" || t.ExternalWorkbookID == p.Document) &&
			(t.SheetID == "" || p.SheetID == "" || t.SheetID == p.SheetID) {
			hits = append(hits, i)
		}
	}
	if len(hits) == 1 {
		*m = slices.Delete(*m, hits[0], hits[0]+1)
	}
}

func byID(a, b identity) int {
	return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Document, b.Document), cmp.Compare(a.Sheet, b.Sheet), cmp.Compare(a.Anchor, b.Anchor))
}

var (
	someDocument = rapid.SampledFrom([]string{"doc", "doc2"})
	someSheet    = rapid.SampledFrom([]string{"Data", "DATA", "Other"})
	someAnchor   = rapid.SampledFrom([]string{"A1", "B2"})
	someID       = rapid.SampledFrom([]string{"", "p1", "p2", "p3"})
	someSheetID  = rapid.SampledFrom([]string{"", "7", "8"})
)

func drawTarget(t *rapid.T) placements.Target {
	switch rapid.IntRange(0, 2).Draw(t, "form") {
	case 0:
		return placements.Target{PlacementID: rapid.SampledFrom([]string{"p1", "p2", "p9"}).Draw(t, "id")}
	case 1:
		return placements.Target{
			ExternalWorkbookID: someDocument.Draw(t, "document"), SheetName: someSheet.Draw(t, "sheet"), AnchorCell: someAnchor.Draw(t, "anchor"),
			SheetID: someSheetID.Draw(t, "sheetId"),
		}
	}
	return placements.Target{ResultLocation: someSheet.Draw(t, "sheet") + "!" + someAnchor.Draw(t, "anchor"), SheetID: someSheetID.Draw(t, "sheetId")}
}

// drawImport draws records from before ids existed, some of which have only a resultLocation, and gives them to the model.
func drawImport(t *rapid.T, m *naive) []storage.Placed {
	var list []storage.Placed
	for range rapid.IntRange(0, 4).Draw(t, "imported") {
		p := identity{"", someDocument.Draw(t, "document"), someSheetID.Draw(t, "sheetId"), someSheet.Draw(t, "sheet"), someAnchor.Draw(t, "anchor")}
		if !m.importOne(p) {
			continue
		}
		record := placements.Placement{WorkbookID: p.Document, Host: placements.SheetsA, SheetID: p.SheetID, ResultLocation: p.Sheet + "!" + p.Anchor}
		if rapid.Bool().Draw(t, "named") {
			record.SheetName, record.AnchorCell = p.Sheet, p.Anchor
		}
		list = append(list, storage.Placed{Placement: record})
	}
	return list
}

// otherReport is the one placement of a report beside the model's.
type otherReport struct {
	identity
	report int64
}

// drawOther places another report in one of the spreadsheets, under one of the ids that the model draws too.
func drawOther(ctx context.Context, t *rapid.T, s *storage.Store) otherReport {
	r, err := s.Reports().Create(ctx, shop, named("Another", ""), ada)
	if err != nil {
		t.Fatal(err)
	}
	c := placements.Connection{
		ExternalWorkbookID: someDocument.Draw(t, "their document"), PlacementID: someID.Draw(t, "their id"), SheetID: "7", ResultLocation: "Theirs!A1",
	}
	done, err := s.Placements().Connect(ctx, shop, r.ID, c, ada, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	return otherReport{identity{ID: done.Placement.ID, Document: c.ExternalWorkbookID}, r.ID}
}

// TestStoredPlacementsEqualTheModel: whatever is imported, connected, given ids and disconnected, the store holds what the naive model holds, and the
// index of each spreadsheet names exactly that. Now and then the process starts anew.
func TestStoredPlacementsEqualTheModel(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		who := ada
		rapid.Check(t, func(t *rapid.T) {
			ctx := t.Context()
			r, err := s.Reports().Create(ctx, shop, named("Model", ""), ada)
			if err != nil {
				t.Fatal(err)
			}
			var model naive
			theirs := drawOther(ctx, t, s)
			if rapid.IntRange(0, 2).Draw(t, "import") == 0 {
				if err := storagetest.Import(ctx, s, shop, r.ID, drawImport(t, &model)); err != nil {
					t.Fatal(err)
				}
			}
			for i := range rapid.IntRange(1, 12).Draw(t, "steps") {
				if rapid.IntRange(0, 20).Draw(t, "forget") == 0 {
					s.ForgetPlacements()
				}
				if rapid.IntRange(0, 8).Draw(t, "run") == 0 {
					target := record.RunTarget{ReportID: r.ID, ExternalWorkbookID: rapid.SampledFrom([]string{"", "doc"}).Draw(t, "refreshed")}
					loaded, err := s.GiveIDs(ctx, shop, target)
					if err != nil {
						t.Fatal(err)
					}
					model.identify(target.ExternalWorkbookID, func(p identity) string { return idAt(loaded, p) })
					continue
				}
				if rapid.IntRange(0, 2).Draw(t, "disconnect") == 0 {
					target := drawTarget(t)
					model.disconnect(target)
					if _, _, err := s.Placements().Disconnect(ctx, shop, r.ID, target, who, nil, true); err != nil {
						t.Fatal(err)
					}
					continue
				}
				c := placements.Connection{
					ExternalWorkbookID: someDocument.Draw(t, "document"), SheetName: someSheet.Draw(t, "sheet"), AnchorCell: someAnchor.Draw(t, "anchor"),
					PlacementID: someID.Draw(t, "id"), SheetID: someSheetID.Draw(t, "sheetId"), AddressOnly: rapid.Bool().Draw(t, "addressOnly"),
				}
				c.ResultLocation = c.AnchorCell
				got, err := s.Placements().Connect(ctx, shop, r.ID, c, who, nil, true)
				if accepted := model.connect(c, theirs.identity, func() string { return got.Placement.ID }); accepted != (err == nil) {
					t.Fatalf("step %d: connect %+v: %v, the model says %t", i, c, err, accepted)
				}
			}
			checkModel(t, s, r.ID, model)
			for _, report := range []int64{r.ID, theirs.report} {
				if err := s.Reports().Delete(ctx, shop, report, ada, anyone); err != nil {
					t.Fatal(err)
				}
			}
		})
	})
}

// idAt is the id of the placement of r that stands where p does.
func idAt(r *storage.Report, p identity) string {
	for _, stored := range r.Placements {
		at, _ := stored.Address()
		if at.Document == p.Document && strings.EqualFold(at.Sheet, p.Sheet) && at.Anchor.String() == p.Anchor {
			return stored.ID
		}
	}
	return ""
}

func checkModel(t *rapid.T, s *storage.Store, report int64, model naive) {
	t.Helper()
	loaded, err := s.Reports().Get(t.Context(), shop, report)
	if err != nil {
		t.Fatal(err)
	}
	stored := naive{}
	for _, p := range loaded.Placements {
		at, _ := p.Address()
		stored = append(stored, identity{p.ID, p.WorkbookID, p.SheetID, at.Sheet, at.Anchor.String()})
	}
	var indexed []string
	for _, document := range []string{"doc", "doc2"} {
		page, err := s.Placements().InDocument(t.Context(), shop.Tenant, document, "", 100)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range page.Items {
			if d.ReportID == report {
				indexed = append(indexed, fmt.Sprint(document, d.ReportID, d.Placement.ID))
			}
		}
	}
	var want []string
	for _, p := range model {
		want = append(want, fmt.Sprint(p.Document, report, p.ID))
	}
	slices.SortFunc(stored, byID)
	slices.SortFunc(model, byID)
	slices.Sort(indexed)
	slices.Sort(want)
	if diff := gocmp.Diff([]identity(append(naive{}, model...)), []identity(stored)); diff != "" {
		t.Fatalf("(-model +store):\n%s", diff)
	}
	if diff := gocmp.Diff(want, indexed); diff != "" {
		t.Fatalf("indexes (-model +store):\n%s", diff)
	}
}
