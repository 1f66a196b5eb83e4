package portable

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"mooring/storage/record"
)

// What a bundle leaves out means what its project last applied: a member that the last bundle did not have either is as that apply left
// it, and one that it had has its default again. A member of which nothing is known, such as of an asset that another project had until now,
// stays as the server has it.

// optional lists the members of a kind that a bundle may leave out: those of its declaration that are optional, without the meta of a workbook,
// which programs share: of that a bundle means only the members that it has or had. The source of a report, which is fixed, and what a
// schedule cannot be without are none of them.
func optional(k AssetKind) []string { return optionals()[k] }

var optionals = sync.OnceValue(func() map[AssetKind][]string {
	needed := map[AssetKind][]string{KindReport: {"source"}, KindWorkbook: {"meta"}, KindSchedule: {"target", "cron"}}
	names := map[AssetKind][]string{}
	for _, kind := range []AssetKind{KindReport, KindWorkbook, KindPlacement, KindSchedule} {
		for _, f := range reflect.VisibleFields(reflect.TypeOf(NewDeclaration(kind)).Elem()) {
			name, omits := strings.CutSuffix(f.Tag.Get("json"), ",omitzero") // an optional value is left out so
			if omits && !slices.Contains(needed[kind], name) {
				names[kind] = append(names[kind], name)
			}
		}
	}
	return names
})

// meant returns what a declaration means, of which said is the tree, after one was applied; nil for one that the project never applied, or
// that it does not manage any more. except are members that mean what the server has if they are left out.
func meant[D Declaration](d D, said record.Tree, one *Applied, except ...string) (D, error) {
	if one == nil {
		return d, nil
	}
	whole, kind := maps.Clone(said), d.kind()
	for _, name := range optional(kind) {
		_, has := said[name]
		_, had := one.Definition[name]
		left, known := one.Unsaid[name]
		switch {
		case has || slices.Contains(except, name):
		case had:
			whole[name] = nil
		case known:
			whole[name] = left
		}
	}
	if kind == KindWorkbook {
		now, _ := said["meta"].(record.Tree)
		had, _ := one.Definition["meta"].(record.Tree)
		if meta := cleared(now, had); len(meta) > 0 {
			whole["meta"] = meta
		}
	}
	text, err := record.Encode(whole)
	if err != nil {
		return d, err
	}
	complete, _ := NewDeclaration(kind).(D)
	if err := json.Unmarshal([]byte(text), complete); err != nil {
		return d, fmt.Errorf("what was applied: %w", err)
	}
	return complete, nil
}

// cleared is now with a null for each member that it lacks and had has, also within members of both: a merge takes those away, and leaves
// what others have beside them.
func cleared(now, had record.Tree) record.Tree {
	merge := maps.Clone(now)
	if merge == nil {
		merge = record.Tree{}
	}
	for name, before := range had {
		value, has := now[name]
		inner, isObject := value.(record.Tree)
		was, wasObject := before.(record.Tree)
		switch {
		case wasObject && len(was) > 0 && (isObject || !has):
			merge[name] = cleared(inner, was)
		case !has:
			merge[name] = nil
		}
	}
	return merge
}

// unsaid are the members that a bundle left out, as a definition has them: nil where it has none.
func unsaid(kind AssetKind, said, definition record.Tree) record.Tree {
	left := record.Tree{}
	for _, name := range optional(kind) {
		if _, has := said[name]; !has {
			left[name] = definition[name]
		}
	}
	return left
}
