package source

import "time"

// ZoneName is the IANA name of location, empty if it has none that another machine knows.
func ZoneName(location *time.Location) string {
	switch location {
	case nil:
		return "UTC"
	case time.Local:
		return ""
	}
	return location.String()
}
