package ascode

import (
	"slices"
	"strings"

	"mooring/storage/record/portable"
)

// Warnings are what is allowed in the folder's files and probably not meant: files with it may be what a pull brings.
func (f *Folder) Warnings() Faults {
	found := slices.Clone(f.warnings)
	found.twins(f.assets)
	_ = found.err() // sorts them
	return found
}

// Unasked are the reports without a query, which are faults when a folder is validated: their files of SQL may be missing. One that is to have
// none says so.
func (f *Folder) Unasked() Faults {
	var found Faults
	for _, a := range f.assets {
		if a.kind != portable.KindReport || a.def.Get("sqlQuery") != nil || a.def.Get("jsonQuery") != nil {
			continue
		}
		found.add(RuleFile, a.at, "%s has no query, and there is no %s.sql: put that back, or write sql or query; sql: null for a report without one",
			a, stem(a.file.name))
	}
	_ = found.err() // sorts them
	return found
}

// twins reports schedules that fire at the same times for the same target.
func (f *Faults) twins(assets []*asset) {
	first := map[string]*asset{}
	for _, a := range assets {
		if a.kind != portable.KindSchedule {
			continue
		}
		def := canonical(portable.KindSchedule, a.definition())
		if def["paused"] == true {
			continue
		}
		times, _ := def["cron"].([]any)
		times = slices.SortedFunc(slices.Values(times), func(a, b any) int { return strings.Compare(compact(a), compact(b)) })
		same := compact([]any{times, def["timezone"], def["target"]})
		if other := first[same]; other != nil {
			f.add(RuleDuplicate, a.at, "%s fires at the same times for the same target as %s at %s, so that each refresh runs twice: "+
				"take one of them out, or change its cron or target", a, other, other.at)
			continue
		}
		first[same] = a
	}
}
