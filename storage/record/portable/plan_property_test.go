package portable_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/record/portable"
)

// text is a text in JSON.
func text(s string) string {
	encoded, _ := record.Encode(s)
	return encoded
}

// drawBundle draws a bundle of a few reports with what refers to them.
func drawBundle(t *rapid.T, tb testing.TB) *portable.Bundle {
	b := bundle()
	add := func(kind, ref, format string, args ...any) {
		b.Assets = append(b.Assets, asset(tb, kind, ref, fmt.Sprintf(format, args...)))
	}
	ids := rapid.SliceOfNDistinct(rapid.IntRange(1, 4), 1, 4, rapid.ID).Draw(t, "reports")
	for _, i := range ids {
		optional := rapid.SampledFrom([]string{
			"", `,"title":null`, `,"rowKey":["a"]`, `,"rowKey":[]`, `,"folderId":7`, `,"meta":{"b":[1,2.50],"a":null}`,
			`,"access":[{"id":1,"name":"r","actions":["ReportRead"]}]`, `,"pivotItems":{"rows":["a"]}`,
		}).Draw(t, "member")
		publicID := fmt.Sprintf("Report00000%d", i)
		add("report", publicID, `{"name":%s,"sqlQuery":%q%s}`,
			text(rapid.StringN(0, 5, -1).Draw(t, "name")), fmt.Sprint("SELECT ", rapid.IntRange(1, 3).Draw(t, "query")), optional)
		if rapid.Bool().Draw(t, "placed") {
			edit := rapid.SampledFrom([]string{"", `,"onEdit":"stop"`, `,"onEdit":null`}).Draw(t, "option")
			add("placement", fmt.Sprintf("b.xlsx/My data!A%d", i),
				`{"report":%q,"document":"b.xlsx","sheet":"My data","anchor":"A%d"%s}`, publicID, i, edit)
			if rapid.Bool().Draw(t, "scheduled") {
				add("schedule", fmt.Sprint("s", i),
					`{"cron":["@daily"],"paused":%t,"target":{"publicId":%q,"document":"b.xlsx","address":"'my data'!a%d"}}`,
					rapid.Bool().Draw(t, "paused"), publicID, i)
			}
		}
		if rapid.Bool().Draw(t, "drawn") {
			add("workbook", fmt.Sprint("w", i), `{"name":"W","meta":{"k":{"x":%d}},"dashboard":{"widgets":[
				{"id":"a","type":"CHART","config":{"reportPublicId":%q}}]}}`,
				rapid.IntRange(1, 3).Draw(t, "meta"), publicID)
		}
	}
	if rapid.Bool().Draw(t, "prune") {
		b.Prune, b.Detach = &portable.Prune{Limit: &portable.PruneLimit{Number: 100}}, rapid.Bool().Draw(t, "detach")
	}
	return b
}

// handEdit changes a managed member of a random asset as a person would, and returns the asset's name and the member's pointer.
func (s *server) handEdit(t *rapid.T) (name, pointer string) {
	n := s.ids
	s.ids++
	refs := func(list []string) string {
		return rapid.SampledFrom(slices.Sorted(slices.Values(list))).Draw(t, "asset")
	}
	var managed []string
	for key := range s.applied {
		if a := s.applied[key]; a.Kind != portable.KindPlacement {
			managed = append(managed, string(a.Kind)+":"+a.Ref)
		}
	}
	if len(managed) == 0 {
		return "", ""
	}
	name = refs(managed)
	kind, ref, _ := strings.Cut(name, ":")
	switch portable.AssetKind(kind) {
	case portable.KindReport:
		if r := s.held.Reports[ref]; r != nil {
			r.UpdatedBy = new(bob.User())
			if rapid.Bool().Draw(t, "unsaid") {
				r.Description = fmt.Sprint("by hand ", n)
				return name, "/description"
			}
			r.Name = fmt.Sprint("by hand ", n)
			return name, "/name"
		}
	case portable.KindWorkbook:
		if w := s.held.Workbooks[ref]; w != nil {
			w.Name, w.UpdatedBy = fmt.Sprint("by hand ", n), new(bob.User())
			return name, "/name"
		}
	case portable.KindSchedule:
		if c := s.held.Schedules[ref]; c != nil {
			c.Cron = []string{"@hourly"}
			return name, "/cron/0"
		}
	}
	return "", ""
}

// Whatever was applied and edited before, a plan that was applied leaves nothing to do, and an edit by hand is never overwritten unseen.
func TestPlansSettle(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := newServer()
		for range rapid.IntRange(1, 4).Draw(rt, "applies") {
			b := drawBundle(rt, t)
			edited := map[string]string{}
			for range rapid.IntRange(0, 2).Draw(rt, "edits") {
				if name, pointer := s.handEdit(rt); name != "" {
					edited[name] = pointer
				}
			}
			p, w, err := checked(s.planning(b))
			if err != nil {
				rt.Fatal(err, placements.DetailsOf(err))
			}
			for i := range p.Assets {
				a := &p.Assets[i]
				pointer, was := edited[a.Name()]
				if was && a.Action == portable.ActionUpdate && (a.Drift == nil || !slices.Contains(a.Drift.Pointers, pointer)) {
					rt.Errorf("%s: drift of %s is not shown: %+v", a.Name(), pointer, a)
				}
				if was && pointer == "/description" && a.Action == portable.ActionUnchanged {
					rt.Errorf("%s: %s was changed by hand, and nobody is told", a.Name(), pointer)
				}
				if was && a.Action == portable.ActionUnchanged && a.Drift != nil {
					rt.Errorf("%s is unchanged and drifts: %+v", a.Name(), a.Drift)
				}
			}
			s.write(w, b.Project)
			again, idle := s.plan(t, b)
			for name, action := range actions(again) {
				if action != portable.ActionUnchanged && action != portable.ActionKept {
					text, _ := record.Encode(again)
					rt.Errorf("%s: %s after its apply: %s", name, action, text)
				}
			}
			if diff := cmp.Diff(&portable.Writes{}, idle); diff != "" {
				rt.Errorf("writes after an apply: %s", diff)
			}
		}
	})
}
