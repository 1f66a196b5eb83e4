package cube

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"mooring/refresh/source"
)

var _ source.Filterer = (*layer)(nil)

// Filters implements source.Filterer for a jsonQuery: its filters, then its date ranges, then its segments.
func (c *layer) Filters(q source.Query) ([]source.Filter, error) {
	if strings.TrimSpace(q.JSON) == "" {
		return nil, nil
	}
	load, err := parseLoad(q)
	if err != nil {
		return nil, err
	}
	var list []source.Filter
	title := load.titles()
	for _, f := range load.filters {
		list = append(list, f.applied(title))
	}
	for _, d := range load.times {
		if values := texts(d.DateRange); len(values) > 0 {
			text := title(d.Dimension) + " in " + ranged(values)
			list = append(list, source.Filter{Kind: source.FilterDateRange, Member: d.Dimension, Values: values, Text: text})
		}
	}
	for _, s := range load.segments {
		list = append(list, source.Filter{Kind: source.FilterSegment, Member: s, Text: title(s)})
	}
	return list, nil
}

// applied is the filter as it is told.
func (f loadFilter) applied(title func(string) string) source.Filter {
	if len(f.And)+len(f.Or) > 0 {
		return source.Filter{Kind: source.FilterGroup, Text: f.words(title)}
	}
	return source.Filter{
		Kind: source.FilterMember, Member: cmp.Or(f.Member, f.Dimension), Operator: f.Operator, Values: texts(f.Values), Text: f.words(title),
	}
}

// phrases are the operators in words; of a range of dates, and of those that take no value, see words.
var phrases = map[string]string{
	"equals": "is", "notEquals": "is not", "contains": "contains", "notContains": "does not contain",
	"startsWith": "starts with", "notStartsWith": "does not start with", "endsWith": "ends with", "notEndsWith": "does not end with",
	"gt": "is more than", "gte": "is at least", "lt": "is less than", "lte": "is at most", "set": "is set", "notSet": "is not set",
	"inDateRange": "in", "notInDateRange": "not in", "onTheDate": "on", "beforeDate": "before", "beforeOrOnDate": "on or before",
	"afterDate": "after", "afterOrOnDate": "on or after",
}

// words are the filter as people say it.
func (f loadFilter) words(title func(string) string) string {
	switch {
	case len(f.And) > 0:
		return joined(f.And, " and ", title)
	case len(f.Or) > 0:
		return joined(f.Or, " or ", title)
	}
	phrase := title(cmp.Or(f.Member, f.Dimension)) + " " + cmp.Or(phrases[f.Operator], plain(f.Operator))
	values := texts(f.Values)
	switch {
	case len(values) == 0:
		return phrase
	case f.Operator == "inDateRange" || f.Operator == "notInDateRange":
		return phrase + " " + ranged(values)
	case strings.HasPrefix(f.Operator, "not"):
		return phrase + " " + listed(values, "nor")
	}
	return phrase + " " + listed(values, "or")
}

// joined are filters with a word between them, each group of them in parentheses.
func joined(filters []loadFilter, word string, title func(string) string) string {
	words := make([]string, len(filters))
	for i, f := range filters {
		if words[i] = f.words(title); len(f.And)+len(f.Or) > 1 {
			words[i] = "(" + words[i] + ")"
		}
	}
	return strings.Join(words, word)
}

// maxListed is how many values of a filter are told in words.
const maxListed = 20

// listed are values in words: the first ones, and how many more.
func listed(values []string, word string) string {
	shown := make([]string, 0, maxListed+1)
	for _, v := range values[:min(len(values), maxListed)] {
		shown = append(shown, plain(v))
	}
	if more := len(values) - maxListed; more > 0 {
		shown = append(shown, fmt.Sprintf("%d more", more))
	}
	last := len(shown) - 1
	if last == 0 {
		return shown[0]
	}
	return strings.Join(shown[:last], ", ") + " " + word + " " + shown[last]
}

// ranged is a date range in words: from … to, or a day or a span that Cube knows by its name.
func ranged(values []string) string {
	if len(values) == 2 && values[0] != values[1] {
		return plain(values[0]) + " … " + plain(values[1])
	}
	return plain(values[0])
}

// plain is a text on one line, without what no cell holds.
func plain(text string) string {
	visible := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar {
			return ' '
		}
		return r
	}, text)
	return cmp.Or(strings.Join(strings.Fields(visible), " "), `""`)
}

// texts is a JSON value, or a list of them, as texts; none for what is missing.
func texts(raw json.RawMessage) (values []string) {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		list = []json.RawMessage{raw}
	}
	for _, one := range list {
		var text string
		if json.Unmarshal(one, &text) != nil || string(one) == "null" {
			text = string(one)
		}
		if len(one) > 0 && (text != "null" || len(list) > 1) {
			values = append(values, text)
		}
	}
	return values
}

// titles names members as people read them: by what stands behind the cube, unless two of the query's are called so.
func (l loadQuery) titles() func(member string) string {
	var members []string
	for _, f := range l.filters {
		members = append(members, f.members()...)
	}
	for _, d := range l.times {
		members = append(members, d.Dimension)
	}
	members = append(members, l.segments...)
	of := map[string]string{} // the member that has a title; empty for several
	for _, m := range members {
		t := spaced(short(m))
		if other, taken := of[t]; taken && other != m {
			of[t] = ""
		} else {
			of[t] = m
		}
	}
	return func(member string) string {
		if t := spaced(short(member)); of[t] == member {
			return t
		}
		return spaced(member)
	}
}

// members are those that the filter looks at.
func (f loadFilter) members() []string {
	members := []string{cmp.Or(f.Member, f.Dimension)}
	for _, one := range slices.Concat(f.And, f.Or) {
		members = append(members, one.members()...)
	}
	return members
}

// short is a member's name without its cube.
func short(member string) string {
	if _, name, ok := strings.Cut(member, "."); ok {
		return name
	}
	return member
}

// spaced is a name as words: orders.created_at and ordersCreatedAt are "Orders created at".
func spaced(name string) string {
	var words strings.Builder
	before := ' '
	for _, r := range plain(name) {
		switch {
		case r == '_' || r == '.':
			r = ' '
		case unicode.IsUpper(r) && unicode.IsLower(before):
			words.WriteByte(' ')
			r = unicode.ToLower(r)
		}
		words.WriteRune(r)
		before = r
	}
	text := []rune(strings.Join(strings.Fields(words.String()), " "))
	if len(text) > 0 {
		text[0] = unicode.ToUpper(text[0])
	}
	return string(text)
}
