package journal

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"mooring/placements"
	"mooring/storage/record"
)

// pointers collects the JSON pointers of what changed.
type pointers []string

func (p *pointers) add(changed bool, pointer string) {
	if changed {
		*p = append(*p, pointer)
	}
}

// ReportPointers returns what differs in two definitions of a report.
func ReportPointers(before, after *record.Definition) []string {
	var p pointers
	p.add(before.Name != after.Name, "/name")
	p.add(before.Title != after.Title, "/title")
	p.add(before.Description != after.Description, "/description")
	p.add(before.SQLQuery != after.SQLQuery, "/sqlQuery")
	p.add(before.JSONQuery != after.JSONQuery, "/jsonQuery")
	p.add(!reflect.DeepEqual(before.PivotItems, after.PivotItems), "/pivotItems")
	p.add(!slices.Equal(before.RowKey, after.RowKey), "/rowKey")
	p.add(!reflect.DeepEqual(before.FolderID, after.FolderID), "/folderId")
	p.add(!reflect.DeepEqual(before.WorkbookID, after.WorkbookID), "/workbookId")
	p.add(!reflect.DeepEqual(before.RolesWithAccess, after.RolesWithAccess), "/rolesWithAccess")
	p.members("/meta", before.Meta, after.Meta)
	return p
}

// WorkbookPointers returns what differs in two states of a workbook.
func WorkbookPointers(before, after *record.Workbook) []string {
	var p pointers
	p.add(before.Name != after.Name, "/name")
	p.add(before.Slug != after.Slug, "/slug")
	p.add(!reflect.DeepEqual(before.FolderID, after.FolderID), "/folderId")
	p.add(!bytes.Equal(before.DashboardPublished, after.DashboardPublished), "/dashboardPublished")
	p.members("/meta", before.Meta, after.Meta)
	return p
}

// schedulePointers are what differs in two states of a schedule, but for whether it is paused and who made it.
func schedulePointers(before, after *record.Schedule) (p pointers) {
	p.add(before.Key != after.Key, "/key")
	p.add(before.Name != after.Name, "/name")
	p.add(before.Target != after.Target, "/target")
	p.add(!slices.Equal(before.Cron, after.Cron), "/cron")
	p.add(before.Timezone != after.Timezone, "/timezone")
	p.add(before.CatchUp != after.CatchUp, "/catchUp")
	p.add(before.Overlap != after.Overlap, "/overlap")
	p.add(before.JitterSeconds != after.JitterSeconds, "/jitterSeconds")
	p.options(before.Options, after.Options)
	return p
}

// ScheduleChange returns the entry of who's change of a schedule: Pause, Resume or Transfer if that is all, else Update.
func ScheduleChange(who record.Actor, before, after *record.Schedule) Entry {
	verb, changed := scheduleChange(before, after)
	return Of(who, verb, OfSchedule(after)).Made(after.Version, changed...)
}

func scheduleChange(before, after *record.Schedule) (verb string, changed []string) {
	p := schedulePointers(before, after)
	alone := len(p) == 0
	p.add(before.Paused != after.Paused, "/paused")
	p.add(before.CreatedBy != after.CreatedBy, "/createdBy")
	switch {
	case !alone || len(p) != 1:
		return Update, p
	case before.CreatedBy != after.CreatedBy:
		return Transfer, p
	case after.Paused:
		return Pause, p
	}
	return Resume, p
}

// PlacementPointers returns what differs in two states of a placement, as far as a person decides it: what a write of data leaves, such as
// time stamps, checksums and the end of its block, is left out.
func PlacementPointers(before, after *placements.Placement) []string {
	var p pointers
	p.add(before.ID != after.ID, "/id")
	p.add(before.WorkbookID != after.WorkbookID, "/workbookId")
	p.add(before.WorkbookName != after.WorkbookName, "/workbookName")
	p.add(before.Host != after.Host, "/host")
	p.add(before.SheetID != after.SheetID, "/sheetId")
	p.add(before.SheetName != after.SheetName, "/sheetName")
	p.add(before.AnchorCell != after.AnchorCell, "/anchorCell")
	p.add(before.StatusCell != after.StatusCell, "/statusCell")
	p.add(before.FillRight != after.FillRight, "/fillRight")
	p.add(!samePerson(before.RunAs, after.RunAs), "/runAs")
	p.add(before.Placer != after.Placer, "/placer")
	p.options(before.Options, after.Options)
	return p
}

// samePerson reports whether both are shown as the same.
func samePerson(a, b *placements.RunAs) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.UID == b.UID && a.Email == b.Email && slices.Equal(a.Roles, b.Roles)
}

func (p *pointers) options(before, after placements.Options) {
	p.add(!placements.Options{OnEdit: before.OnEdit}.Equal(placements.Options{OnEdit: after.OnEdit}), "/onEdit")
	p.add(!placements.Options{ShiftRows: before.ShiftRows}.Equal(placements.Options{ShiftRows: after.ShiftRows}), "/shiftRows")
	signature := placements.Options{BreakSignature: before.BreakSignature}
	p.add(!signature.Equal(placements.Options{BreakSignature: after.BreakSignature}), "/breakSignature")
}

// members adds the members of a JSON object that differ.
func (p *pointers) members(root string, before, after json.RawMessage) {
	if bytes.Equal(before, after) {
		return
	}
	var was, is map[string]json.RawMessage
	if json.Unmarshal(before, &was) != nil || json.Unmarshal(after, &is) != nil {
		p.add(true, root)
		return
	}
	var names []string
	for name, value := range is {
		if old, had := was[name]; !had || !record.SameJSON(old, value) {
			names = append(names, name)
		}
	}
	for name := range was {
		if _, has := is[name]; !has {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		*p = append(*p, root+"/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(name)) // RFC 6901
	}
}

// cut is text, or as much of its beginning as has no more than most bytes.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
