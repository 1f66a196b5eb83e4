package mysql

import (
	"strings"
	"time"
)

// zone is the time zone of a session: the report's by its name, or where the server does not know that, its offset of now. A server
// that was never given the zones of the world knows no names.
type zone struct {
	name   string
	offset string // of timestamps as they come, such as +02:00; empty for the report's own wall time
}

func zoneOf(location *time.Location, name string, known bool) zone {
	switch {
	case location == nil || name == "UTC":
		return zone{name: "+00:00"}
	case known:
		return zone{name: name}
	}
	offset := time.Now().In(location).Format("-07:00")
	return zone{name: offset, offset: offset}
}

// quoteLiteral makes s an SQL string of sessions whose sql_mode is not yet set.
func quoteLiteral(s string) string {
	return "'" + strings.NewReplacer(`\`, "", `'`, "", "\x00", "").Replace(s) + "'"
}
