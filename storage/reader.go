package storage

import (
	"slices"
	"strconv"
	"strings"

	"mooring/placements"
)

// Reader is who wants to do something with a report that needs only read access (decisions.md §3).
type Reader struct {
	User  User
	All   bool    // the token's own actions let it read every report
	Roles []int64 // of the token
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

// facts is what a script must know of a report, in the hash field of that name: who created it, the host of its placements unless they say
// otherwise, the checksum of its query, and the roles that may read it, each between commas.
func (d *Definition) facts() string {
	var b strings.Builder
	b.WriteString(strconv.FormatInt(d.CreatedBy, 10) + "|" + string(d.host()) + "|" + d.CurrentChecksum + "|,")
	for _, r := range d.RolesWithAccess {
		if r.letsRead() {
			b.WriteString(strconv.FormatInt(r.ID, 10) + ",")
		}
	}
	return b.String()
}

// host is the spreadsheet host that the report's source names, else SHEETS_A.
func (d *Definition) host() placements.Host {
	if h := placements.Host(d.Source); h == placements.SheetsB {
		return h
	}
	return placements.SheetsA
}

// scriptArgs is w as readerScript takes it: 1 or empty, user id, role ids between commas.
func (w Reader) scriptArgs() []any {
	all := ""
	if w.All {
		all = "1"
	}
	roles := make([]byte, 0, 16)
	for _, id := range w.Roles {
		roles = append(strconv.AppendInt(roles, id, 10), ',')
	}
	return []any{all, w.User.ID, string(roles)}
}

// readerScript is the part that a script on one report begins with. ARGV 1 to 3 are a Reader's; KEYS[1] is the report, KEYS[3] its lock. reads
// gives the report's default host and query checksum, or nil and what to answer: 'absent' for a report that is not there or may not be
// read, 'busy' while a writer holds its lock.
const readerScript = `
local function mayRead(creator, readers)
  if ARGV[1] == '1' or (creator == ARGV[2] and creator ~= '0') then return true end
  for role in string.gmatch(ARGV[3], '[^,]+') do
    if string.find(readers, ',' .. role .. ',', 1, true) then return true end
  end
  return false
end
local function reads()
  local facts = redis.call('HGET', KEYS[1], '` + fieldFacts + `')
  if not facts then return nil, 'absent' end
  local creator, host, query, readers = string.match(facts, '^(%-?%d+)|([^|]*)|([^|]*)|(.*)$')
  if not mayRead(creator, readers) then return nil, 'absent' end
  if redis.call('EXISTS', KEYS[3]) == 1 then return nil, 'busy' end
  return host, query
end
`
