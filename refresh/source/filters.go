package source

import (
	"fmt"
	"strings"
	"unicode"

	"mooring/placements"
)

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
	FilterParameter FilterKind = "parameter"
)

// Filterer is a Source that knows what its queries filter by, without running them.
type Filterer interface {
	// Filters returns what q filters by, in its order. Its faults are those of a Query.
	Filters(q Query) ([]Filter, error)
}

// AppliedFilters are what q filters by as far as s can tell: of a sqlQuery its parameters.
func AppliedFilters(s Source, q Query) ([]Filter, error) {
	if strings.TrimSpace(q.JSON) == "" && len(q.Parameters) > 0 {
		return parameterFilters(q.Parameters), nil
	}
	if f, ok := s.(Filterer); ok {
		return f.Filters(q)
	}
	return nil, nil
}

// parameterFilters are the parameters of a query with their values.
func parameterFilters(with placements.Arguments) []Filter {
	list := make([]Filter, len(with))
	for i, a := range with {
		f := Filter{Kind: FilterParameter, Member: a.Name}
		for _, v := range a.Value.Scalars() {
			f.Values = append(f.Values, v.Text())
		}
		f.Text = oneLine(a.Label()) + " is " + valuesInWords(f.Values)
		list[i] = f
	}
	return list
}

// maxInWords is how many values are told in words.
const maxInWords = 20

// valuesInWords are values in words: the first ones, and how many more.
func valuesInWords(values []string) string {
	if len(values) == 0 {
		return "nothing"
	}
	var shown []string
	for _, v := range values[:min(len(values), maxInWords)] {
		if v = oneLine(v); v == "" {
			v = `""`
		}
		shown = append(shown, v)
	}
	if more := len(values) - maxInWords; more > 0 {
		shown = append(shown, fmt.Sprintf("%d more", more))
	}
	last := len(shown) - 1
	if last == 0 {
		return shown[0]
	}
	return strings.Join(shown[:last], ", ") + " or " + shown[last]
}

// oneLine is a text on one line, without what no cell holds.
func oneLine(text string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar {
			return ' '
		}
		return r
	}, text)), " ")
}
