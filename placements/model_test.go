package placements_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mooring/placements"
	"mooring/placements/placementstest"
)

// model is the naive report: a list of placements, searched from end to end with strings.EqualFold, each rule written out in the
// plainest way. It knows only the fields that identify.
type model []identity

type identity struct{ ID, Document, SheetID, Sheet, Anchor string }

func (m *model) connect(c placements.Connection, newID string) bool {
	byID := slices.IndexFunc(*m, func(p identity) bool { return c.PlacementID != "" && p.ID == c.PlacementID })
	there := m.standing(c)
	if byID >= 0 && there >= 0 && byID != there {
		return false
	}
	at := max(byID, there)
	if at < 0 {
		*m = append(*m, identity{ID: newID})
		if at = len(*m) - 1; c.PlacementID != "" {
			(*m)[at].ID = c.PlacementID
		}
	}
	p := &(*m)[at]
	if c.SheetID != "" || p.Document != c.ExternalWorkbookID || !strings.EqualFold(p.Sheet, c.SheetName) {
		p.SheetID = c.SheetID
	}
	p.Document, p.Sheet, p.Anchor = c.ExternalWorkbookID, c.SheetName, c.AnchorCell
	return true
}

// standing is the index of what stands where c says: by the sheet's name, else by its id if that names one only.
func (m *model) standing(c placements.Connection) int {
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

func (m *model) disconnect(t placements.Target) {
	var hit []int
	for i, p := range *m {
		matches := p.ID == t.PlacementID
		if t.PlacementID == "" {
			sheet, anchor := t.SheetName, t.AnchorCell
			if t.ResultLocation != "" {
				sheet, anchor, _ = strings.Cut(t.ResultLocation, "!")
			} else if t.ExternalWorkbookID == "" {
				continue
			}
			matches = sheet != "" && anchor != "" && strings.EqualFold(p.Sheet, sheet) && p.Anchor == anchor &&
				(t.ExternalWorkbookID == "" || t.ExternalWorkbookID == p.Document) &&
				(t.SheetID == "" || p.SheetID == "" || t.SheetID == p.SheetID)
		}
		if matches {
			hit = append(hit, i)
		}
	}
	if len(hit) == 1 {
		*m = slices.Delete(*m, hit[0], hit[0]+1)
	}
}

var (
	someDocument = rapid.SampledFrom([]string{"doc", "doc2"})
	someSheet    = rapid.SampledFrom([]string{"Data", "DATA", "Other"})
	someAnchor   = rapid.SampledFrom([]string{"A1", "B2"})
	someID       = rapid.SampledFrom([]string{"", "", "p1", "p2", "p3"})
	someSheetID  = rapid.SampledFrom([]string{"", "7", "8"})
)

func drawTarget(t *rapid.T) placements.Target {
	target := placements.Target{SheetID: someSheetID.Draw(t, "sheetId")}
	switch rapid.SampledFrom([]string{"id", "address", "location", "partial"}).Draw(t, "form") {
	case "id":
		target.PlacementID = rapid.SampledFrom([]string{"p1", "p2", "n1", "n2"}).Draw(t, "id")
	case "address":
		target.ExternalWorkbookID, target.SheetName, target.AnchorCell = someDocument.Draw(t, "document"), someSheet.Draw(t, "sheet"),
			someAnchor.Draw(t, "anchor")
	case "location":
		target.ExternalWorkbookID = rapid.SampledFrom([]string{"", "doc"}).Draw(t, "document")
		target.ResultLocation = someSheet.Draw(t, "sheet") + "!" + someAnchor.Draw(t, "anchor")
	case "partial":
		target.ExternalWorkbookID, target.SheetName = someDocument.Draw(t, "document"), someSheet.Draw(t, "sheet")
	}
	return target
}

func identities(existing []placements.Placement) model {
	list := make(model, len(existing))
	for i, p := range existing {
		list[i] = identity{p.ID, p.WorkbookID, p.SheetID, p.SheetName, p.AnchorCell}
	}
	return list
}

// TestAnySequenceEqualsTheModel: whatever is connected and disconnected, the report holds what the naive model holds.
func TestAnySequenceEqualsTheModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var naive model
		var existing []placements.Placement
		for i := range rapid.IntRange(1, 30).Draw(t, "steps") {
			if rapid.IntRange(0, 2).Draw(t, "disconnect") == 0 {
				target := drawTarget(t)
				naive.disconnect(target)
				if at, ok := target.Match(existing); ok {
					existing = slices.Delete(existing, at, at+1)
				}
			} else {
				c := placements.Connection{
					ExternalWorkbookID: someDocument.Draw(t, "document"), SheetName: someSheet.Draw(t, "sheet"),
					AnchorCell:  someAnchor.Draw(t, "anchor"),
					PlacementID: someID.Draw(t, "id"), SheetID: someSheetID.Draw(t, "sheetId"),
				}
				c.ResultLocation = c.AnchorCell
				s := placementstest.Stamp()
				s.NewID = fmt.Sprintf("n%d", i)
				accepted := naive.connect(c, s.NewID)
				ch, err := placements.Connect(existing, c, s)
				if (err == nil) != accepted {
					t.Fatalf("step %d: connect %+v: %v, the model says %t", i, c, err, accepted)
				}
				switch {
				case err != nil:
				case ch.Created:
					existing = append(existing, ch.Placement)
				default:
					existing[ch.Index] = ch.Placement
				}
			}
			if diff := cmp.Diff(naive, identities(existing), cmp.Transformer("list", func(m model) []identity { return append([]identity{}, m...) })); diff != "" {
				t.Fatalf("after step %d (-model +rules):\n%s", i, diff)
			}
		}
	})
}
