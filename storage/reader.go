package storage

import (
	"slices"

	"mooring/placements"
)

// Reader is who wants to do something with a report that needs only read access (decisions.md §3).
type Reader struct {
	User  User
	All   bool    // the token's own actions let it read every report
	Roles []int64 // of the token

	// Expects is asked with the version of the report that a write is decided on; its error is returned as it is. Nil expects nothing.
	Expects func(version int64) error
}

// readActions are the actions that let a role read a report: edit implies read, manage edit, All all.
var readActions = []string{"ReportRead", "ReportEdit", "ReportManage", "All"}

// mayRead tells whether w may read a report of that definition.
func (w Reader) mayRead(d *Definition) bool {
	if w.All || w.User.ID != 0 && w.User.ID == d.CreatedBy {
		return true
	}
	return slices.ContainsFunc(d.RolesWithAccess, func(r RoleAccess) bool { return slices.Contains(w.Roles, r.ID) && r.letsRead() })
}

func (r RoleAccess) letsRead() bool {
	return slices.ContainsFunc(r.Actions, func(action string) bool { return slices.Contains(readActions, action) })
}

// host is the spreadsheet host that the report's source names, else SHEETS_A.
func (d *Definition) host() placements.Host {
	if h := placements.Host(d.Source); h == placements.SheetsB {
		return h
	}
	return placements.SheetsA
}
