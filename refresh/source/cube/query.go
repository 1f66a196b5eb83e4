package cube

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"mooring/refresh/source"
)

// loadQuery is a jsonQuery: what has to be known of it, and all of it as it was written.
type loadQuery struct {
	members              map[string]json.RawMessage
	measures, dimensions []string
	segments             []string
	times                []timeDimension
	filters              []loadFilter
	limit, offset        int
	timezone             string
	ungrouped            bool
}

// timeDimension groups by a span of time, or, without granularity, only filters by one.
type timeDimension struct {
	Dimension        string          `json:"dimension"`
	Granularity      string          `json:"granularity,omitempty"`
	DateRange        json.RawMessage `json:"dateRange,omitempty"`
	CompareDateRange json.RawMessage `json:"compareDateRange,omitempty"`
}

// loadFilter is a condition on a member, or several of them joined.
type loadFilter struct {
	Member    string          `json:"member"`
	Dimension string          `json:"dimension"` // the old name of member
	Operator  string          `json:"operator"`
	Values    json.RawMessage `json:"values"`
	And       []loadFilter    `json:"and"`
	Or        []loadFilter    `json:"or"`
}

// column is the key under which rows have the grouped time.
func (d timeDimension) column() string { return d.Dimension + "." + d.Granularity }

// parseLoad reads the jsonQuery of q with the values of its parameters. Its faults are the user's.
func parseLoad(q source.Query) (l loadQuery, err error) {
	text, err := bind(q.JSON, q.Parameters)
	if err != nil {
		return l, err
	}
	if strings.HasPrefix(strings.TrimSpace(text), "[") {
		return l, source.Structure(nil, "the jsonQuery is a list of queries; a report takes one")
	}
	if err := json.Unmarshal([]byte(text), &l.members); err != nil {
		return l, source.Structure(err, "the jsonQuery is no JSON object: %s", source.Said("an error", err.Error()))
	}
	for name, into := range map[string]any{
		"measures": &l.measures, "dimensions": &l.dimensions, "segments": &l.segments, "timeDimensions": &l.times,
		"filters": &l.filters, "limit": &l.limit, "offset": &l.offset, "timezone": &l.timezone, "ungrouped": &l.ungrouped,
	} {
		if raw, ok := l.members[name]; ok {
			if err := json.Unmarshal(raw, into); err != nil {
				return l, source.Structure(err, "%s of the jsonQuery is not of the form that Cube takes", name)
			}
		}
	}
	for _, d := range l.times {
		if len(d.CompareDateRange) > 0 && string(d.CompareDateRange) != "null" {
			return l, source.Structure(nil, "the jsonQuery compares date ranges, whose result is no one table; use dateRange")
		}
	}
	if len(l.columns()) == 0 {
		return l, source.Structure(nil, "the jsonQuery has no result; give it measures or dimensions")
	}
	return l, nil
}

// columns are the keys of a row, in the order of the table: dimensions, times, measures.
func (l loadQuery) columns() []string {
	columns := slices.Clone(l.dimensions)
	for _, d := range l.times {
		if d.Granularity != "" {
			columns = append(columns, d.column())
		}
	}
	columns = append(columns, l.measures...)
	var unique []string
	for _, c := range columns {
		if !slices.Contains(unique, c) {
			unique = append(unique, c)
		}
	}
	return unique
}

// isDay reports whether a column is grouped by days or more, unlike the other ones of Cube's type time.
func (l loadQuery) isDay(column string) bool {
	days := []string{"day", "week", "month", "quarter", "year"}
	for _, d := range l.times {
		if d.column() == column {
			return slices.Contains(days, d.Granularity)
		}
	}
	// A dimension may name a granularity itself: orders.at.day.
	parts := strings.Split(column, ".")
	return len(parts) == 3 && slices.Contains(days, parts[2]) && slices.Contains(l.dimensions, column)
}

// body is the request for the query with at most limit rows, its times in location unless it names a zone itself.
func (l loadQuery) body(limit int, location *time.Location) ([]byte, error) {
	members := map[string]any{}
	for name, raw := range l.members {
		members[name] = raw
	}
	delete(members, "responseFormat") // the default form is the one read here
	if limit > 0 {
		members["limit"] = limit
	}
	if zone := source.ZoneName(location); l.timezone == "" && zone != "" {
		members["timezone"] = zone
	}
	return encode(map[string]any{"query": members})
}

// encode is json.Marshal that leaves <, > and & as they are.
func encode(v any) ([]byte, error) {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return buffer.Bytes(), err
}
