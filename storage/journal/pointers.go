package journal

import (
	"bytes"
	"encoding/json"
	"maps"
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

// changes returns what differs in two states of an asset.
func changes[T any](members []record.Member[T], before, after *T) pointers {
	var p pointers
	for _, m := range members {
		if !m.Audited {
			continue
		}
		was, is := m.Of(before), m.Of(after)
		if object, ok := was.(json.RawMessage); ok && m.Name == "meta" {
			p.members("/meta", object, is.(json.RawMessage))
			continue
		}
		if p.settings("/"+m.Name, was, is) {
			continue
		}
		p.add(!same(was, is), "/"+m.Name)
	}
	return p
}

// settings adds what a placement says otherwise of parameters, by their names; false of another member.
func (p *pointers) settings(root string, before, after any) bool {
	was, had := before.(placements.ParameterSettings)
	is, has := after.(placements.ParameterSettings)
	all := maps.Clone(is)
	if all == nil {
		all = placements.ParameterSettings{}
	}
	maps.Copy(all, was)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		p.add(!reflect.DeepEqual(was[name], is[name]), root+"/"+name)
	}
	return had || has
}

// same reports whether two values of a member are equal. A list without items is as none.
func same(a, b any) bool {
	switch a := a.(type) {
	case string:
		return a == b.(string)
	case []string:
		return slices.Equal(a, b.([]string))
	case json.RawMessage:
		return bytes.Equal(a, b.(json.RawMessage))
	}
	return reflect.DeepEqual(a, b)
}

// ReportPointers returns what differs in two definitions of a report.
func ReportPointers(before, after *record.Definition) []string {
	return changes(record.ReportMembers, before, after)
}

// WorkbookPointers returns what differs in two states of a workbook.
func WorkbookPointers(before, after *record.Workbook) []string {
	return changes(record.WorkbookMembers, before, after)
}

// PlacementPointers returns what differs in two states of a placement, as far as a person decides it: what a write of data leaves, such as
// time stamps, checksums and the end of its block, is left out.
func PlacementPointers(before, after *placements.Placement) []string {
	return changes(record.PlacementMembers, before, after)
}

// ScheduleChange returns the entry of who's change of a schedule: Pause, Resume or Transfer if that is all, else Update.
func ScheduleChange(who record.Actor, before, after *record.Schedule) Entry {
	verb, changed := scheduleChange(before, after)
	return Of(who, verb, OfSchedule(after)).Made(after.Version, changed...)
}

func scheduleChange(before, after *record.Schedule) (verb string, changed []string) {
	p := changes(record.ScheduleMembers, before, after)
	switch {
	case len(p) != 1:
		return Update, p
	case before.CreatedBy != after.CreatedBy:
		return Transfer, p
	case before.Paused == after.Paused:
		return Update, p
	case after.Paused:
		return Pause, p
	}
	return Resume, p
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
