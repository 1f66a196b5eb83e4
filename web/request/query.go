package request

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"mooring/placements"
)

// ParseID reads an id as answers write it: +1, 01 and 1.0 are none.
func ParseID(s string) (id int64, ok bool) {
	id, err := strconv.ParseInt(s, 10, 64)
	return id, err == nil && id > 0 && strconv.FormatInt(id, 10) == s
}

// PathID reads an integer id from the path. What is no id names nothing: 404.
func (c *Call) PathID(name, noun string) (int64, error) {
	id, ok := ParseID(c.Param(name))
	if !ok {
		return 0, NotFound(noun)
	}
	return id, nil
}

// QueryID reads a parameter that is the id of an asset; nil when it was not sent.
func (c *Call) QueryID(name string) (*int64, error) {
	sent := c.Query(name)
	if sent == "" {
		return nil, nil
	}
	id, ok := ParseID(sent)
	if !ok {
		return nil, placements.Errorf(placements.CodeParameter, "%s must be the id of an asset, an integer from 1 on.", name)
	}
	return &id, nil
}

// FilterID reads a parameter that is the id of an asset or user; 0 when it was not sent.
func (c *Call) FilterID(name string) (int64, error) {
	sent := c.Query(name)
	if sent == "" {
		return 0, nil
	}
	id, ok := ParseID(sent)
	if !ok {
		return 0, placements.Errorf(placements.CodeParameter, "%s must be an id, an integer from 1 on.", name)
	}
	return id, nil
}

// Flag reads a parameter that is true or false; false when it was not sent.
func (c *Call) Flag(name string) (bool, error) {
	switch c.Query(name) {
	case "", "false":
		return false, nil
	case "true":
		return true, nil
	}
	return false, placements.Errorf(placements.CodeParameter, "%s must be true or false.", name)
}

// Since reads the parameter of that name; zero when it was not sent.
func (c *Call) Since() (at time.Time, err error) {
	sent := c.Query("since")
	if sent == "" {
		return at, nil
	}
	if at, err = time.Parse(time.RFC3339, sent); err != nil {
		return at, placements.Errorf(placements.CodeParameter, "since must be a time such as 2026-11-22T07:00:00Z.").Because(err)
	}
	return at, nil
}

// Choice reads a parameter that is one of some words, which must says; empty when it was not sent.
func Choice[T ~string](c *Call, name string, words []T, must string) (T, error) {
	sent := T(c.Query(name))
	if sent != "" && !slices.Contains(words, sent) {
		return "", placements.Errorf(placements.CodeParameter, "%s must be %s.", name, must)
	}
	return sent, nil
}

// Host reads the filter of that name.
func (c *Call) Host() (placements.Host, error) {
	return Choice(c, "host", []placements.Host{placements.SheetsA, placements.SheetsB}, "SHEETS_A or SHEETS_B")
}

// What is shown only to who names it in the parameter include: what may be large; of charts, beside the reportId, the portable name of
// the report, which wins over a reportId that was not changed (decisions.md §5, §6); of runs and schedules, what people call what these refresh; of
// schedules, what became of the latest ticks.
const (
	IncludeMeta      = "meta"
	IncludeChecksums = "resultChecksum"
	IncludePublicIDs = "reportPublicId"
	IncludeNames     = "names"
	IncludeTicks     = "ticks"
)

// Included returns the names in the parameter include, a list with commas, of which an operation knows some.
func (c *Call) Included(known ...string) ([]string, error) {
	sent := c.Query("include")
	if sent == "" {
		return nil, nil
	}
	names := strings.Split(sent, ",")
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, placements.Errorf(placements.CodeInvalid,
				"include must be %s, or absent; put a comma between several.", strings.Join(known, " or "))
		}
	}
	return names, nil
}
