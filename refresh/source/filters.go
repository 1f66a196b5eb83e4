package source

// Filter is a condition that decides which rows a query counts.
type Filter struct {
	Kind     FilterKind `json:"kind"`
	Member   string     `json:"member,omitempty"`   // as the query names it; empty for a group
	Operator string     `json:"operator,omitempty"` // as the query names it; of a filter alone
	Values   []string   `json:"values,omitempty"`
	Text     string     `json:"text"` // the whole of it in words, on one line
}

// FilterKind says what a Filter is.
type FilterKind string

// The kinds of filters.
const (
	FilterMember    FilterKind = "filter"
	FilterDateRange FilterKind = "dateRange"
	FilterSegment   FilterKind = "segment"
	FilterGroup     FilterKind = "group" // several filters, joined: only in words
)

// Filterer is a Source that knows what its queries filter by, without running them.
type Filterer interface {
	// Filters returns what q filters by, in its order. Its faults are those of a Query.
	Filters(q Query) ([]Filter, error)
}

// AppliedFilters are what q filters by as far as s can tell.
func AppliedFilters(s Source, q Query) ([]Filter, error) {
	if f, ok := s.(Filterer); ok {
		return f.Filters(q)
	}
	return nil, nil
}
