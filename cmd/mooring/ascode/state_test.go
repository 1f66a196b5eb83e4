package ascode_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mooring/cmd/mooring/ascode"
	"mooring/storage/record/portable"
)

// drawing draws what a server may have.
type drawing struct {
	*rapid.T
	reports []string
	texts   *rapid.Generator[any]
	lists   *rapid.Generator[any]
	values  *rapid.Generator[any]
	objects *rapid.Generator[any]
}

func newDrawing(t *rapid.T) drawing {
	text := rapid.OneOf(rapid.StringMatching(`[a-zA-Z ]{0,12}`), rapid.SampledFrom([]string{
		"", "a: b", "${x}", "$${x}", "# no", "yes", "1", "a\nb\n", "a\r\nb\r\n", "\uFEFFx", "ü😀", "\u0000\u0007", "\uFFFD", " ", "'\"\\", "- a",
		"a\n\nb", "a \nb",
	}))
	d := drawing{T: t, texts: rapid.Map(text, toAny[string])}
	d.lists = rapid.Map(rapid.SliceOfN(d.texts, 0, 3), func(items []any) any { return append([]any{}, items...) })
	d.values = rapid.OneOf(
		d.texts, d.lists, rapid.Map(rapid.Float64Range(-1e6, 1e6), toAny[float64]),
		rapid.Map(rapid.Int32(), func(n int32) any { return float64(n) }), rapid.SampledFrom([]any{nil, true, false}),
	)
	d.objects = rapid.Map(rapid.MapOfN(rapid.StringMatching(`[a-z]{1,6}`), d.values, 0, 4), toAny[map[string]any])
	d.reports = d.names(`[1-9A-Za-z][0-9A-Za-z]{11}`, 1, 3)
	return d
}

func toAny[T any](v T) any { return v }

// names draws different names.
func (d drawing) names(pattern string, from, to int) []string {
	return rapid.SliceOfNDistinct(rapid.StringMatching(pattern), from, to, rapid.ID).Draw(d.T, pattern)
}

// report draws a report's publicId, also one of another project's.
func (d drawing) report() string {
	return rapid.SampledFrom(append([]string{"ElsewhereRep"}, d.reports...)).Draw(d.T, "report")
}

// optional draws a member of a definition, or none.
func (d drawing) optional(def map[string]any, name string, g *rapid.Generator[any]) {
	if rapid.Bool().Draw(d.T, name) {
		def[name] = g.Draw(d.T, name)
	}
}

// state draws all assets of a server.
func (d drawing) state() (remotes []ascode.Remote) {
	add := func(kind portable.AssetKind, ref string, def map[string]any) {
		remotes = append(remotes, ascode.Remote{Kind: kind, Ref: ref, Definition: def})
	}
	for _, id := range d.reports {
		add(portable.KindReport, id, d.reportDefinition())
	}
	for _, slug := range d.names(`[a-z0-9][a-z0-9._-]{0,5}`, 0, 2) {
		def := map[string]any{"name": slug}
		d.optional(def, "dashboard", rapid.Map(d.objects, d.dashboard))
		add(portable.KindWorkbook, slug, def)
	}
	for _, spot := range d.names(`(b\.xlsx|c\.xlsx|\$\{board\})/(Data|It's|a!b)![A-D][1-3]`, 0, 4) {
		document, rest, _ := strings.Cut(spot, "/")
		i := strings.LastIndexByte(rest, '!')
		def := map[string]any{"document": document, "sheet": rest[:i], "anchor": rest[i+1:], "host": "SHEETS_B", "report": d.report()}
		add(portable.KindPlacement, spot, def)
	}
	for _, key := range d.names(`[a-z0-9][a-z0-9._-]{0,5}`, 0, 2) {
		cron := rapid.SampledFrom([]any{[]any{"@daily"}, []any{"0 7 * * *", "@hourly"}}).Draw(d.T, "cron")
		target := map[string]any{"publicId": d.report()}
		add(portable.KindSchedule, key, map[string]any{"cron": cron, "target": target, "paused": rapid.Bool().Draw(d.T, "paused")})
	}
	return remotes
}

func (d drawing) reportDefinition() map[string]any {
	def := map[string]any{}
	for _, name := range []string{"name", "title", "description", "sqlQuery"} {
		d.optional(def, name, d.texts)
	}
	queries := []any{`{"a":1}`, `{"a": 1}`, `{"b":1,"a":2}`, `{"a":1.50}`, `{"a":"<${x}>"}`, `[1]`}
	d.optional(def, "jsonQuery", rapid.OneOf(d.texts, rapid.SampledFrom(queries)))
	d.optional(def, "pivotItems", rapid.Map(rapid.Bool(), func(totals bool) any {
		return map[string]any{
			"rows": d.lists.Draw(d.T, "rows"), "columns": []any{}, "measures": d.lists.Draw(d.T, "measures"), "filters": []any{},
			"showColumnTotals": totals, "showRowTotals": totals, "showAppliedFilters": totals, "displayScale": "model",
		}
	}))
	d.optional(def, "meta", d.objects)
	d.optional(def, "folderId", rapid.Map(rapid.IntRange(1, 1e9), func(n int) any { return float64(n) }))
	d.optional(def, "access", rapid.Map(d.lists, func(actions any) any {
		return []any{map[string]any{"id": 12.0, "name": "viewers", "actions": actions}}
	}))
	return def
}

func (d drawing) dashboard(settings any) any {
	chart := map[string]any{"reportPublicId": d.report(), "more": d.values.Draw(d.T, "more")}
	return map[string]any{"title": d.texts.Draw(d.T, "title"), "settings": settings, "widgets": []any{
		map[string]any{"id": "a", "type": "CHART", "config": chart},
		map[string]any{"id": "b", "type": "TEXT", "config": d.objects.Draw(d.T, "config")},
	}}
}

// planIsEmpty fails unless a bundle says what the server has, of all that is not empty. Of an asset that was applied before that is what
// the folder manages.
func planIsEmpty(t *rapid.T, b ascode.PlanRequest, remotes []ascode.Remote) {
	got, want, bundled := map[string]string{}, map[string]string{}, map[string]map[string]any{}
	for _, a := range b.Assets {
		got[string(a.Kind)+":"+a.Ref] = meaning(a.Definition)
		bundled[string(a.Kind)+":"+a.Ref] = a.Definition
	}
	for _, r := range remotes {
		id := string(r.Kind) + ":" + r.Ref
		switch {
		case r.Deleted != nil:
		case r.Applied != nil:
			want[id] = meaning(managed(r.Definition, bundled[id]))
		default:
			want[id] = meaning(r.Definition)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("the plan is not empty (-server +bundle):\n%s", diff)
	}
}

// managed returns the members of a definition that the folder's has, also those of its meta.
func managed(def, folders map[string]any) map[string]any {
	only := func(m, of map[string]any) map[string]any {
		m = maps.Clone(m)
		maps.DeleteFunc(m, func(key string, _ any) bool { _, has := of[key]; return !has })
		return m
	}
	def = only(def, folders)
	if meta, is := def["meta"].(map[string]any); is {
		of, _ := folders["meta"].(map[string]any)
		def["meta"] = only(meta, of)
	}
	return def
}

// meaning returns the members of a definition that are not empty, and not a default of a pivot.
func meaning(def map[string]any) string {
	def = maps.Clone(def)
	if pivot, is := def["pivotItems"].(map[string]any); is {
		pivot = maps.Clone(pivot)
		maps.DeleteFunc(pivot, func(key string, v any) bool { return key == "displayScale" || v == any(false) })
		def["pivotItems"] = pivot
	}
	if roles, is := def["access"].([]any); is {
		for _, role := range roles {
			actions := role.(map[string]any)["actions"].([]any)
			slices.SortFunc(actions, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
		}
	}
	maps.DeleteFunc(def, func(_ string, v any) bool {
		text, _ := json.Marshal(v)
		return slices.Contains([]string{"null", `""`, "[]", "{}", "false"}, string(text))
	})
	text, _ := json.Marshal(def)
	var again any
	_ = json.Unmarshal(text, &again) // each number in one writing
	text, _ = json.Marshal(again)
	return string(text)
}

func TestPullThenPlanIsEmptyForEveryState(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir := folder(t, map[string]string{"project.yaml": emptyProject})
		defer func() { _ = os.RemoveAll(dir) }()
		for range 2 {
			remotes := withDeleted(t, newDrawing(rt).state(), mustRead(rt, dir).Bundle().Assets)
			p := mustRead(rt, dir).Pull(remotes, ascode.Theirs)
			if err := p.Write(); err != nil || len(p.Conflicts) > 0 {
				rt.Fatalf("%v, %+v", err, p)
			}
			f := mustRead(rt, dir)
			planIsEmpty(rt, f.Bundle(), remotes)
			if again := f.Pull(remotes, ascode.Undecided); len(again.Changes) > 0 {
				rt.Fatalf("again: %+v", again)
			}
		}
	})
}

// withDeleted returns a state as it is after those assets were applied: those that it lacks were deleted.
func withDeleted(t *testing.T, remotes []ascode.Remote, before []ascode.AssetRequest) []ascode.Remote {
	for _, a := range before {
		here := func(r ascode.Remote) bool { return r.Kind == a.Kind && r.Ref == a.Ref }
		if i := slices.IndexFunc(remotes, here); i >= 0 {
			remotes[i].Applied = object(t, a.Definition)
			continue
		}
		remotes = append(remotes, ascode.Remote{Kind: a.Kind, Ref: a.Ref, Deleted: &portable.Deletion{}})
	}
	return remotes
}

func mustRead(t *rapid.T, dir string) *ascode.Folder {
	f, err := ascode.Read(dir, "", variables)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// A folder that is written, read and written again is the same, also where its files were moved about and commented.
func TestWhatIsWrittenIsReadTheSame(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir := folder(t, map[string]string{"project.yaml": emptyProject})
		defer func() { _ = os.RemoveAll(dir) }()
		if err := mustRead(rt, dir).Pull(newDrawing(rt).state(), ascode.Undecided).Write(); err != nil {
			rt.Fatal(err)
		}
		want := mustRead(rt, dir).Bundle()
		for name, text := range contents(t, dir) {
			if filepath.Ext(name) == ".yaml" && rapid.Bool().Draw(rt, name) {
				write(t, filepath.Join(dir, name), "# a comment\n\n"+text+"\n# another\n")
			}
		}
		before := contents(t, dir)
		f := mustRead(rt, dir)
		if diff := cmp.Diff(want, f.Bundle()); diff != "" {
			rt.Fatalf("(-want +got):\n%s", diff)
		}
		if err := f.Pull(applied(t, f), ascode.Undecided).Write(); err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(before, contents(t, dir)); diff != "" {
			rt.Fatalf("(-before +after):\n%s", diff)
		}
	})
}
