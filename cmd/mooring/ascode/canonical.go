package ascode

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"mooring/storage/record/portable"
)

// canonical returns a definition in the form in which those of a kind are compared: without what the server adds, and with its
// defaults left out of what is managed as a whole.
func canonical(kind portable.AssetKind, def map[string]any) map[string]any {
	if def == nil {
		return nil
	}
	d := maps.Clone(def)
	switch kind {
	case portable.KindReport:
		d["pivotItems"] = canonicalPivot(d["pivotItems"])
		d["access"] = canonicalAccess(d["access"])
	case portable.KindWorkbook:
		d["dashboard"] = canonicalDashboard(d["dashboard"])
	case portable.KindSchedule:
		if one, is := d["cron"].(string); is {
			d["cron"] = []any{one}
		}
	}
	for _, member := range []string{"pivotItems", "access", "dashboard"} {
		if _, has := def[member]; !has {
			delete(d, member)
		}
	}
	return d
}

func canonicalPivot(v any) any {
	if !mapped(v) {
		return v
	}
	pivot := map[string]any{}
	maps.Copy(pivot, asMap(v))
	for _, name := range []string{"rows", "columns", "measures", "filters"} {
		if empty(pivot[name]) {
			pivot[name] = []any{}
		}
	}
	defaults := map[string]any{
		"displayScale": "model", "measuresAxis": "columns", "measuresPosition": "before",
		"showAppliedFilters": false, "showColumnTotals": false, "showRowTotals": false,
	}
	for name, byDefault := range defaults {
		if pivot[name] == byDefault || pivot[name] == nil {
			delete(pivot, name)
		}
	}
	return pivot
}

// canonicalAccess returns roles as a mapping from their id to their actions, which are a set.
func canonicalAccess(v any) any {
	roles, is := v.([]any)
	if !is {
		return v
	}
	byID := map[string]any{}
	for _, role := range roles {
		actions, _ := asMap(role)["actions"].([]any)
		actions = slices.Clone(actions)
		slices.SortFunc(actions, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		byID[fmt.Sprint(normal(asMap(role)["id"]))] = actions
	}
	return byID
}

func canonicalDashboard(v any) any {
	if !mapped(v) {
		return v
	}
	d := maps.Clone(asMap(v))
	delete(d, "kind")
	widgets, _ := d["widgets"].([]any)
	widgets = slices.Clone(widgets)
	for i, w := range widgets {
		config := asMap(asMap(w)["config"])
		if _, portable := config["reportPublicId"]; !portable {
			continue
		}
		w, config := maps.Clone(asMap(w)), maps.Clone(config)
		delete(config, "reportId")
		w["config"] = config
		widgets[i] = w
	}
	if _, has := d["widgets"]; has {
		d["widgets"] = widgets
	}
	return d
}
